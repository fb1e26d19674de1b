/* SPDX-License-Identifier: MIT
 *
 * effects-overlay.c - the overlay of a preview, and its files. */
#include "features/effects/effects-internal.h"

#include "controller/feature-api.h"
#include "controller/sandbox.h"
#include "files.h"
#include "sandbox/profile.h"

#include <string.h>

enum { SHELL_MAX = 6000 };

struct effects *effects_of(const struct conversation *c)
{
	return feature_state(c, &effects_feature);
}

char *effects_path(const struct conversation *c, const char *name)
{
	AUTO(free) char *dir = path_join(evlog_dir(conversation_log(c)), "effects");

	return dir ? path_join(dir, name) : NULL;
}

char *effects_carry(const struct conversation *c, const char *instance)
{
	AUTO(free) char *tools = effects_path(c, "tools");
	AUTO(free) char *dir = tools ? path_join(tools, instance) : NULL;

	return dir ? path_join(dir, "carry") : NULL;
}

void effects_clear(struct conversation *c)
{
	struct effects *s = effects_of(c);
	AUTO(free) char *dir = effects_path(c, "");

	overlay_changes_clear(&s->changes);
	runner_result_clear(&s->result);
	overlay_clear(&s->overlay);
	strbuf_clear(&s->shell);
	s->shell = STRBUF(SHELL_MAX);
	s->shell_note = NULL;
	s->shows_diff = s->only_directory = s->again = false;
	s->phase = EFFECTS_IDLE;
	if (dir)
		dir_remove(dir, NULL);
}

struct config *effects_config(const struct conversation *c, struct error *err)
{
	static const char *const overrides[] = {
		"sandbox.network=allow-list", "sandbox.hosts=",		"sandbox.grants=",
		"sandbox.write=",	      "workspace.directories=",
	};
	static const struct {
		const char *section, *key;
	} empty[] = {
		{ "sandbox", "hosts" },
		{ "sandbox", "grants" },
		{ "sandbox", "write" },
		{ "workspace", "directories" },
	};
	AUTO(config) struct config *made = NULL;
	struct sandbox_rules settings;
	const char *value;

	if (config_with(conversation_sandbox_config(c), overrides, ARRAY_LEN(overrides),
			&made, err))
		return NULL;
	sandbox_profile_settings(made, &settings);
	if (settings.network == SANDBOX_NETWORK_FULL) {
		fail(err, MT_EUNSUPPORTED,
		     "the administrator enforces `network = full` of [sandbox]");
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
		value = config_get(made, empty[i].section, empty[i].key);
		if (!value || !*value)
			continue;
		fail(err, MT_EUNSUPPORTED, "the administrator enforces `%s` of [%s]",
		     empty[i].key, empty[i].section);
		return NULL;
	}
	return STEAL(made);
}

/* The caches of the workspace, which programs change: covered, and never applied. */
int effects_mount(struct conversation *c, struct error *err)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	AUTO(config) struct config *config = effects_config(c, err);
	AUTO(free) char *dir = effects_path(c, "overlay");

	effects_clear(c);
	if (!config)
		return err->code;
	if (!dir)
		return out_of_memory(err);
	if (conversation_sandbox_rules(c, &rules, err))
		return err->code;
	return conversation_mount_overlay(c, dir, rules.cache, &effects_of(c)->overlay,
					  err);
}
