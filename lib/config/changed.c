/* SPDX-License-Identifier: MIT
 *
 * changed.c - a copy of a configuration with other settings. */
#include "config/layers.h"

#include <string.h>

static int changed_copy(struct config *to, const struct config *from, bool enforced,
			struct error *err)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < from->setting_count; i++) {
		const struct setting *s = &from->settings[i];

		if ((s->layer == LAYER_ENFORCED) == enforced)
			status = config_copy_setting(to, s, err);
	}
	return status;
}

int config_with(const struct config *c, const char *const *overrides, size_t count,
		struct config **ret, struct error *err)
{
	AUTO(config) struct config *copy = calloc(1, sizeof *copy);
	int status = copy ? MT_OK : out_of_memory(err);

	for (size_t i = 0; !status && i < c->section_count; i++)
		status =
			config_open_section(copy, c->sections[i], "", LAYER_BUILTIN, err);
	if (!status)
		status = changed_copy(copy, c, false, err);
	for (size_t i = 0; !status && i < count; i++)
		status = config_apply_override(copy, overrides[i], err);
	if (!status)
		status = changed_copy(copy, c, true, err);
	if (status)
		return status;
	copy->pinned = c->pinned;
	copy->tables = c->tables;
	copy->tables_arg = c->tables_arg;
	status = values_resolve(copy, err);
	if (!status)
		*ret = STEAL(copy);
	return status;
}
