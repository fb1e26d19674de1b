/* SPDX-License-Identifier: MIT
 *
 * plugin-load.c - loads a component into this process, or prepares its forked copies. */
#include "controller/plugins/plugin-load.h"

#include "config/choices.h"
#include "controller/plugins/plugin-stand-in.h"

#include <string.h>

bool plugin_component_forks(const struct config *c, const char *section,
			    const struct component *component)
{
	int run;

	if (!plugin_stand_in_can(component->kind))
		return false;
	run = config_choice(c, section, "run");
	return run < 0 ? !component_is_own(component) : run == RUN_FORK;
}

void plugin_load_explain(const struct config *c, const char *section, struct error *err)
{
	const struct error why = *err;

	if (why.code != MT_ENOTFOUND || !config_is_pinned(c))
		return;
	*err = ERROR_NONE;
	fail(err, why.code,
	     "%s (if the conversation was started with its plugin, reinstall it, or add its "
	     "directory with -o core.plugin_path+=DIR%s%s%s)",
	     why.text, section ? "; to resume without it, use -o '" : "",
	     section ? section : "", section ? ".tools-=NAME'" : "");
}

int plugin_component_load(struct config *c, struct registry *r, int kind,
			  const char *name, struct plugin_component *ret,
			  struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const char *plugin = NULL;
	const struct component *component;

	if (strbuf_addf(&section, "%s.%s", kind_name(kind), name))
		return fail(err, MT_EINVAL, "the name `%s` is too long", name);
	if (config_has(c, section.text))
		plugin = config_get(c, section.text, "plugin");
	component = registry_need(r, kind, plugin ? plugin : name, err);
	if (!component) {
		int status = err->code;

		plugin_load_explain(c, NULL, err);
		return status;
	}
	ret->component = component;
	ret->name = strdup(name);
	if (!ret->name)
		return out_of_memory(err);
	ret->registry = r;
	if (plugin_component_forks(c, section.text, component)) {
		ret->deadline_ms = config_int(c, section.text, "deadline");
		ret->stand_in = plugin_stand_in_open(component);
		ret->functions = plugin_stand_in_functions(ret->stand_in);
		ret->end_wait = plugin_stand_in_end_wait;
		if (!ret->functions)
			return out_of_memory(err);
	} else {
		ret->functions = registry_load(r, component, err);
	}
	if (!ret->functions)
		return err->code;
	return component_section(c, section.text, component, &ret->options, err);
}

void plugin_component_clear(struct plugin_component *p)
{
	free(p->name);
	plugin_stand_in_free(p->stand_in);
	json_object_put(p->options);
	*p = (struct plugin_component){ 0 };
}
