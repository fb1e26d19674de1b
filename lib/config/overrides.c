/* SPDX-License-Identifier: MIT
 *
 * overrides.c - converts a configuration to a list of overrides that recreates it. */
#include "config/layers.h"

#include "js.h"

#include <string.h>

static int overrides_add(json_object *list, const char *section, const char *key,
			 const char *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20);
	json_object *item;

	if (strbuf_addf(&text, "%s.%s=%s", section, key, value))
		return MT_ENOMEM;
	item = json_object_new_string_len(text.text, (int)text.len);
	if (item && js_add(list, item) == 0)
		return MT_OK;
	json_object_put(item);
	return MT_ENOMEM;
}

static bool has_value(const struct config *c, const char *section)
{
	for (size_t i = 0; i < c->value_count; i++)
		if (strcmp(c->values[i].section, section) == 0)
			return true;
	return false;
}

json_object *config_settings(const struct config *c)
{
	AUTO(json) json_object *list = json_object_new_array();
	int r = list ? MT_OK : MT_ENOMEM;

	for (size_t i = 0; i < c->value_count && !r; i++)
		r = overrides_add(list, c->values[i].section, c->values[i].key,
				  c->values[i].text);
	/* a component may be enabled without a section */
	for (size_t i = 0; i < c->section_count && !r; i++)
		if (strncmp(c->sections[i], "controller.", 11) == 0 &&
		    !has_value(c, c->sections[i]))
			r = overrides_add(list, c->sections[i], "base", "default");
	return r ? NULL : STEAL(list);
}
