/* SPDX-License-Identifier: MIT
 *
 * agent-spec.c - lists the names and settings that an agent is created from. */
#include "conversation/agent-spec.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/analyzers.h"
#include "llm/models/models.h"

#include <string.h>

static void add_setting(json_object *list, const char *section, const char *key,
			const char *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (strbuf_addf(&text, "%s.%s=%s", section, key, value))
		js_fail(list);
	else
		js_add_new(list, json_object_new_string_len(text.text, (int)text.len));
}

/* The effective values of a built-in section, under `name`. */
static void agent_spec_add_section(json_object *list, const struct conversation *c,
				   const char *family, const char *name,
				   const char *section, const char *const *skip)
{
	size_t count;
	const struct mt_option *table = config_table(family, &count);

	for (size_t i = 0; i < count; i++) {
		const char *value = config_get(c->config, section, table[i].name);
		bool left_out = (table[i].flags & MT_OPTION_SECRET) != 0;

		for (const char *const *s = skip; s && *s; s++)
			left_out = left_out || strcmp(*s, table[i].name) == 0;
		if (value && !left_out)
			add_setting(list, name, table[i].name, value);
	}
}

/* The file of a scripted model is stored with its absolute path, because the
 * conversation may be resumed in another directory. */
static void agent_spec_add_model(json_object *list, const char *section, const char *name)
{
	const char *file = strncmp(name, "script:", 7) == 0 ? name + 7 : NULL;
	AUTO(free) char *path = file && *file != '~' ? realpath(file, NULL) : NULL;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (path && strbuf_addf(&text, "script:%s", path))
		js_fail(list);
	add_setting(list, section, "model", path && text.len ? text.text : name);
}

/* [llm], from which the others inherit, and each model that was opened. */
static void agent_spec_add_models(json_object *list, const struct conversation *c)
{
	static const char *const not_model[] = { "model", NULL };
	const char *section;

	if (!c->models)
		return;
	agent_spec_add_section(list, c, "llm", "llm", "llm", NULL);
	for (size_t i = 0; (section = llm_models_section(c->models, i)); i++) {
		if (strcmp(section, "llm") != 0)
			agent_spec_add_section(list, c, "llm", section, section,
					       not_model);
		agent_spec_add_model(list, section, llm_models_name(c->models, i));
	}
}

/* The model that a component names, and its runtime. */
static void agent_spec_add_own(json_object *list, const struct conversation *c,
			       const char *family, const struct plugin_component *p)
{
	static const char *const keys[] = { "run", "deadline" };
	AUTO(strbuf) struct strbuf section = STRBUF(256);

	if (strbuf_addf(&section, "%s.%s", family, p->name) ||
	    !config_has(c->config, section.text))
		return;
	if (p->llm)
		add_setting(list, section.text, "llm",
			    config_get(c->config, section.text, "llm"));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *origin = config_origin(c->config, section.text, keys[i]);

		if (origin && strcmp(origin, "built in") != 0)
			add_setting(list, section.text, keys[i],
				    config_get(c->config, section.text, keys[i]));
	}
}

static void add_options(json_object *list, const struct conversation *c,
			const char *family, const char *name,
			const struct component *component, json_object *options)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);

	strbuf_addf(&section, "%s.%s", family, name);
	add_setting(list, section.text, "plugin",
		    component_reference(c->registry, component));
	if (!options)
		return;
	json_object_object_foreach(options, key, value) {
		const struct mt_option *o = component_find_option(component, key);

		if (!o || !(o->flags & MT_OPTION_SECRET))
			add_setting(list, section.text, key,
				    json_object_get_string(value));
	}
}

static void agent_spec_add_level(json_object *list, const struct conversation *c,
				 const struct agent_frame *l)
{
	AUTO(strbuf) struct strbuf router = STRBUF(256);
	const char *name = config_get(c->config, l->section, "router");

	if (l->router && !strbuf_addf(&router, "router.%s", name))
		agent_spec_add_section(list, c, "router", router.text, router.text, NULL);
	add_options(list, c, "agent", l->plugin.name, l->plugin.component,
		    l->plugin.options);
	agent_spec_add_own(list, c, "agent", &l->plugin);
	for (size_t i = 0; i < l->part_count; i++) {
		const struct plugin_component *p = &l->parts[i];
		const char *family = kind_name(p->component->kind);

		add_options(list, c, family, p->name, p->component, p->options);
		agent_spec_add_own(list, c, family, p);
	}
	for (size_t i = 0; i < l->catalog.instance_count; i++) {
		if (l->catalog.instances[i].server) /* the settings of its section
						     * apply later too */
			continue;
		add_options(list, c, "tool", l->catalog.instances[i].name,
			    l->catalog.instances[i].component,
			    l->catalog.instances[i].options);
	}
}

/* Every setting of the agent: ["section.key=value"]. */
static json_object *settings(const struct conversation *c, const char *controller)
{
	static const char *const not_controller[] = { "base", NULL };
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	json_object *list = js_new_list();
	const char *own;

	strbuf_addf(&section, "controller%s%s", controller ? "." : "",
		    controller ? controller : "");
	agent_spec_add_section(list, c, "controller", "controller", section.text,
			       not_controller);
	for (size_t i = 0; (own = features_section(i)); i++)
		agent_spec_add_section(list, c, own, own, own, NULL);
	agent_spec_add_models(list, c);
	agent_spec_add_level(list, c, c->agent);
	for (size_t i = 0; i < c->other_count; i++) {
		agent_spec_add_section(list, c, "controller", c->others[i].section,
				       c->others[i].section, not_controller);
		agent_spec_add_level(list, c, &c->others[i]);
	}
	add_options(list, c, "runtime", c->runtime.name, c->runtime.component,
		    c->runtime.options);
	for (size_t i = 0; i < analyzers_count(c->analyzers); i++) {
		const struct plugin_component *p = analyzers_part(c->analyzers, i);

		add_options(list, c, "analyzer", p->name, p->component, p->options);
		agent_spec_add_own(list, c, "analyzer", p);
	}
	return list;
}

json_object *agent_spec(const struct conversation *c, const char *controller)
{
	json_object *o = js_new_object(), *tools = js_new_list();

	js_set_str(o, "agent", c->agent->plugin.component->name);
	js_set_str(o, "agent_version", c->agent->plugin.component->version);
	if (c->agent->llm)
		js_set_str(o, "model", llm_name(c->agent->llm));
	for (size_t i = 0; i < c->agent->catalog.count; i++)
		js_add_new(tools,
			   json_object_new_string(c->agent->catalog.tools[i].name));
	js_set(o, "tools", tools);
	js_set(o, "settings", settings(c, controller));
	return o;
}
