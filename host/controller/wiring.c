/* SPDX-License-Identifier: MIT
 *
 * wiring.c - resolves the names in the configuration to the parts of a conversation;
 * everything is resolved before the first event. */
#include "controller/wiring.h"

#include "config/choices.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/plugins/analyzers.h"
#include "controller/core.h"
#include "controller/agents.h"
#include "controller/model-request.h"
#include "controller/offered-tools.h"
#include "controller/plugins/plugin-load.h"
#include "llm/models/router.h"
#include "log.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/tool.h>

#include <string.h>

static int load_part(struct conversation *c, const struct agent_parts *of,
		     const char *name, struct error *err)
{
	struct plugin_component *part = &c->agent->parts[c->agent->part_count];
	int r;

	if (c->agent->part_count == AGENT_PARTS_MAX)
		return fail(err, MT_ELIMIT, "more than %d %s are configured",
			    AGENT_PARTS_MAX, of->key);
	r = plugin_component_load(c->config, c->registry, of->kind, name, part, err);
	if (r)
		return r;
	c->agent->part_count++;
	return of->check(c, part, err);
}

/* The plugins that the agent lists for a feature. */
static int load_parts(struct conversation *c, const struct agent_parts *of,
		      struct error *err)
{
	const char *list = of ? config_get(c->config, c->agent->section, of->key) : NULL;
	const char *item;
	size_t len;

	while (list && list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		int r = name ? load_part(c, of, name, err) : out_of_memory(err);

		if (r)
			return r;
	}
	return MT_OK;
}

static int section_of(const struct conversation_options *o, struct strbuf *section)
{
	return strbuf_addf(section, "controller%s%s", o->controller ? "." : "",
			   o->controller ? o->controller : "");
}

/* The event that defines the active agent: its first one, except in an imported log and
 * after the user has changed the agent. -1: none. */
static int64_t find_system(const struct conversation *c)
{
	for (int64_t id = evlog_count(c->log) - 1; id >= c->agent->start; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);

		if (!head->undone && head->type->id == ACTION_SYSTEM &&
		    evlog_delegation_owner(c->log, id) == c->agent->delegation)
			return id;
	}
	return -1;
}

int wiring_ensure_system(struct conversation *c, struct error *err)
{
	int64_t id = find_system(c);
	int r = id < 0 ? offered_tools_log_system(c, err) : MT_OK;

	if (!r)
		request_messages_set_system(c->agent->memory,
					    id < 0 ? evlog_count(c->log) - 1 : id);
	return r;
}

static char *observation_text(const struct event *e, void *arg)
{
	return features_observation_text(arg, e);
}

int wiring_open_memory(struct conversation *c, struct error *err)
{
	struct request_messages_options options = {
		.recall = observation_text,
		.system = c->agent->start,
		.arg = c,
	};

	options.max_message_chars =
		(size_t)config_int(c->config, c->agent->section, "max_message_chars");
	c->agent->memory = request_messages_new(c->log, &options);
	c->agent->history = history_new(c->log, c->agent->start);
	return c->agent->memory && c->agent->history ? MT_OK : out_of_memory(err);
}

/* A read-only agent must not get tools that write. */
static int check_reading(const struct conversation *c, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;

	for (size_t i = 0;
	     i < c->agent->catalog.count && (agent->flags & MT_AGENT_READ_ONLY); i++)
		if (!tool_only_reads(&c->agent->catalog.tools[i]) &&
		    !(c->agent->catalog.tools[i].hints & MT_TOOL_CONTROL))
			return fail(
				err, MT_EDENIED,
				"the agent `%s` is read-only, but the tool %s of "
				"[tool.%s] may write",
				c->agent->plugin.name, c->agent->catalog.tools[i].name,
				c->agent->catalog
					.instances[c->agent->catalog.tools[i].instance]
					.name);
	return MT_OK;
}

/* A conversation keeps the tools that it started with. */
static void add_way_out(const char *section, struct error *err)
{
	const struct error why = *err;

	*err = ERROR_NONE;
	fail(err, why.code,
	     "%s; the conversation was started with it: reinstall its plugin, or "
	     "resume with -o '%s.tools-=NAME'",
	     why.text, section);
}

static bool hides_tool(const void *arg, const struct tool *tool)
{
	return features_hide_tool(arg, tool);
}

/* The agent's own tools, otherwise those of the controller, with what a feature adds. */
static int wire_tools(struct conversation *c, const char *section, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	const char *own = MT_HAS(agent, tools) ? agent->tools : NULL;
	const char *origin = config_origin(c->config, section, "tools");
	const char *list = own ? own : config_get(c->config, section, "tools"), *extra;
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 16);
	int r;

	strbuf_add(&all, list ? list : "");
	while (!own && !all.error && (extra = features_extra_tool(c, section, all.text)))
		strbuf_addf(&all, "%s%s", all.len ? ", " : "", extra);
	if (all.error)
		return fail(err, all.error, "`tools` of [%s] is too long", section);
	r = catalog_open(c->config, c->registry, all.text, &c->agent->catalog, err);
	if (r == MT_ENOTFOUND && err && config_is_pinned(c->config))
		add_way_out(section, err);
	c->agent->catalog.hides = hides_tool;
	c->agent->catalog.hides_arg = c;
	if (!r)
		r = catalog_add_finder(&c->agent->catalog, c->config, c->registry, err);
	if (!r && (agent->flags & MT_AGENT_READ_ONLY))
		catalog_read_only(&c->agent->catalog);

	if (own && origin && strcmp(origin, "built in") != 0)
		log_line(MT_LOG_INFO, "controller",
			 "the agent %s has its own tools: %s; `tools` of [%s] is "
			 "ignored",
			 c->agent->plugin.name, own, section);
	return r ? r : check_reading(c, err);
}

int wiring_open_agent(struct conversation *c, const char *model, struct error *err)
{
	const char *section = c->agent->section;
	int r = plugin_component_load(c->config, c->registry, MT_KIND_AGENT,
				      config_get(c->config, section, "agent"),
				      &c->agent->plugin, err);

	if (!r)
		r = load_parts(c, features_agent_parts(), err);
	if (!r)
		r = wire_tools(c, section, err);
	if (!r)
		r = request_open_models(c, section, model, err);
	c->agent->catalog.reads_risk = analyzers_read_risk(c->analyzers);
	return r;
}

int wiring_open(struct conversation *c, const struct conversation_options *o,
		struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	int r;

	section_of(o, &section);
	if (o->controller && !config_has(c->config, section.text))
		return fail(err, MT_ENOTFOUND,
			    "unknown section [%s] in the "
			    "configuration",
			    section.text);
	c->agent->section = strbuf_take(&section);
	if (!c->agent->section)
		return out_of_memory(err);
	c->interactive = o->interactive;
	r = plugin_component_load(c->config, c->registry, MT_KIND_RUNTIME,
				  config_get(c->config, c->agent->section, "runtime"),
				  &c->runtime, err);
	if (!r)
		r = analyzers_open(c->config, c->registry, c->agent->section,
				   config_get(c->config, c->agent->section, "analyzers"),
				   &c->analyzers, err);
	if (!r)
		r = wiring_open_agent(c, o->model, err);
	if (!r)
		r = agents_wire(c, err);
	return r;
}

static void close_agent(struct agent_frame *l)
{
	catalog_clear(&l->catalog);
	l->router = llm_router_free(l->router);
	l->llm = NULL;
	plugin_component_clear(&l->plugin);
	for (size_t i = 0; i < AGENT_PARTS_MAX; i++)
		plugin_component_clear(&l->parts[i]);
	free(l->section);
	l->section = NULL;
}

void wiring_close(struct conversation *c)
{
	agents_drop(c);
	history_save(c->agent->history);
	c->agent->memory = request_messages_leave(c->agent->memory);
	c->agent->history = history_free(c->agent->history);
	close_agent(c->agent);
	for (size_t i = 0; i < c->other_count; i++)
		close_agent(&c->others[i]);
	free(c->others);
	c->others = NULL;
	c->other_count = 0;
	c->models = llm_models_free(c->models);
	c->analyzers = analyzers_free(c->analyzers);
	plugin_component_clear(&c->runtime);
}

/* ---- what makes the agent what it is ----------------------------------- */

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
static void add_section(json_object *list, const struct conversation *c,
			const char *family, const char *name, const char *section,
			const char *const *skip)
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

/* [llm], which the others inherit from, and each model that was opened. */
static void add_models(json_object *list, const struct conversation *c)
{
	static const char *const not_model[] = { "model", NULL };
	const char *section;

	if (!c->models)
		return;
	add_section(list, c, "llm", "llm", "llm", NULL);
	for (size_t i = 0; (section = llm_models_section(c->models, i)); i++) {
		if (strcmp(section, "llm") != 0)
			add_section(list, c, "llm", section, section, not_model);
		add_setting(list, section, "model", llm_models_name(c->models, i));
	}
}

/* The model that a component names, and where it runs. */
static void add_own(json_object *list, const struct conversation *c, const char *family,
		    const struct plugin_component *p)
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
		const struct mt_option *o =
			option_find(component->options, component->option_count, key);

		if (!o || !(o->flags & MT_OPTION_SECRET))
			add_setting(list, section.text, key,
				    json_object_get_string(value));
	}
}

static void add_level(json_object *list, const struct conversation *c,
		      const struct agent_frame *l)
{
	AUTO(strbuf) struct strbuf router = STRBUF(256);
	const char *name = config_get(c->config, l->section, "router");

	if (l->router && !strbuf_addf(&router, "router.%s", name))
		add_section(list, c, "router", router.text, router.text, NULL);
	add_options(list, c, "agent", l->plugin.name, l->plugin.component,
		    l->plugin.options);
	add_own(list, c, "agent", &l->plugin);
	for (size_t i = 0; i < l->part_count; i++) {
		const struct plugin_component *p = &l->parts[i];
		const char *family = kind_name(p->component->kind);

		add_options(list, c, family, p->name, p->component, p->options);
		add_own(list, c, family, p);
	}
	for (size_t i = 0; i < l->catalog.instance_count; i++) {
		if (l->catalog.instances[i].server) /* its section counts later too */
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
	add_section(list, c, "controller", "controller", section.text, not_controller);
	for (size_t i = 0; (own = features_section(i)); i++)
		add_section(list, c, own, own, own, NULL);
	add_models(list, c);
	add_level(list, c, c->agent);
	for (size_t i = 0; i < c->other_count; i++) {
		add_section(list, c, "controller", c->others[i].section,
			    c->others[i].section, not_controller);
		add_level(list, c, &c->others[i]);
	}
	add_options(list, c, "runtime", c->runtime.name, c->runtime.component,
		    c->runtime.options);
	for (size_t i = 0; i < analyzers_count(c->analyzers); i++) {
		const struct plugin_component *p = analyzers_part(c->analyzers, i);

		add_options(list, c, "analyzer", p->name, p->component, p->options);
		add_own(list, c, "analyzer", p);
	}
	return list;
}

json_object *wiring_spec(const struct conversation *c, const char *controller)
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
