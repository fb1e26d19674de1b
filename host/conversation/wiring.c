/* SPDX-License-Identifier: MIT
 *
 * wiring.c - resolves the names in the configuration to the parts of a conversation;
 * everything is resolved before the first event. */
#include "conversation/wiring.h"

#include "array.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/plugins/analyzers.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/agents.h"
#include "conversation/named-models.h"
#include "controller/plugins/plugin-load.h"
#include "conversation/conversation.h"
#include "front-matter.h"
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

	while (list && option_list_next(&list, &item, &len)) {
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

/* A read-only agent must not have tools that write. */
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

static bool wiring_hides_tool(const void *arg, const struct tool *tool)
{
	return FEATURES_ASK(hides_tool, arg, tool);
}

/* The agent's own tools, otherwise those of the controller, with the tools that a
 * feature adds. */
static int wire_tools(struct conversation *c, const char *section, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	const char *own = MT_HAS(agent, tools) ? agent->tools : NULL;
	const char *origin = config_origin(c->config, section, "tools");
	const char *list = own ? own : config_get(c->config, section, "tools"), *extra;
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 16);
	int r;

	strbuf_add(&all, list ? list : "");
	while (!own && !all.error &&
	       (extra = FEATURES_ASK(extra_tool, c, section, all.text)))
		strbuf_addf(&all, "%s%s", all.len ? ", " : "", extra);
	if (all.error)
		return fail(err, all.error, "`tools` of [%s] is too long", section);
	r = catalog_open(c->config, c->registry, all.text, &c->agent->catalog, err);
	if (r && err)
		plugin_load_explain(c->config, section, err);
	c->agent->catalog.hides = wiring_hides_tool;
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

/* ---- models ---------------------------------------------------------------- */

/* The model that the section of a part names; NULL: none. */
static int own_model(struct conversation *c, const char *family,
		     struct plugin_component *p, const char *model, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256), from = STRBUF(256);
	const char *name;

	if (strbuf_addf(&section, "%s.%s", family, p->name) ||
	    strbuf_addf(&from, "[%s] llm", section.text))
		return out_of_memory(err);
	name = config_has(c->config, section.text)
		       ? config_get(c->config, section.text, "llm")
		       : NULL;
	if (!name || !*name)
		return MT_OK;
	if (named_models_open(c, err))
		return err->code;
	return llm_models_get(c->models, name, model, from.text, &p->llm, err);
}

static int agent_model(struct conversation *c, const char *section, const char *model,
		       struct error *err)
{
	AUTO(strbuf) struct strbuf from = STRBUF(256);
	const char *router = config_get(c->config, section, "router");

	strbuf_addf(&from, "[%s] llm", section);
	if (named_models_open(c, err) ||
	    own_model(c, "agent", &c->agent->plugin, model, err))
		return err->code;
	c->agent->llm = c->agent->plugin.llm;
	if (!c->agent->llm &&
	    llm_models_get(c->models, config_get(c->config, section, "llm"), model,
			   from.error ? section : from.text, &c->agent->llm, err))
		return err->code;
	front_matter_preload(); /* while one library is being loaded, no other can be */
	llm_warm_up(c->agent->llm);
	return llm_router_open(c->models, c->config, router, &c->agent->router, err);
}

static int wiring_open_models(struct conversation *c, const char *section,
			      const char *model, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;

	if (!(agent->flags & MT_AGENT_NO_MODEL) && agent_model(c, section, model, err))
		return err->code;
	for (size_t i = 0; i < c->agent->part_count; i++) {
		struct plugin_component *part = &c->agent->parts[i];

		if (own_model(c, kind_name(part->component->kind), part, NULL, err))
			return err->code;
	}
	return MT_OK;
}

/* ---- one agent ------------------------------------------------------------- */

static int wiring_open_agent(struct conversation *c, const char *model, struct error *err)
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
		r = wiring_open_models(c, section, model, err);
	c->agent->catalog.reads_risk = analyzers_read_risk(c->analyzers);
	return r;
}

/* ---- the agents that a feature makes active -------------------------------- */

static int wire_one(struct conversation *c, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct agent_frame *current = c->agent;
	int r;

	if (agents_find(c, name))
		return MT_OK;
	if (strbuf_addf(&section, "controller.%s", name) ||
	    !config_has(c->config, section.text))
		return fail(err, MT_ENOTFOUND,
			    "unknown agent `%.80s` in `%s`: the configuration has "
			    "no section [controller.%.80s]",
			    name, features_agents_option(NULL), name);
	if (c->other_count == OTHER_AGENTS_MAX)
		return fail(err, MT_ELIMIT, "too many agents in `%s` (maximum %d)",
			    features_agents_option(NULL), OTHER_AGENTS_MAX);
	if (ARRAY_GROW(c->others, NULL, c->other_count + 1, OTHER_AGENTS_MAX))
		return out_of_memory(err);
	c->others[c->other_count] = (struct agent_frame){
		.delegation = -1, .section = strbuf_take(&section) };
	c->agent = &c->others[c->other_count++]; /* wiring fills the current agent */
	r = wiring_open_agent(c, NULL, err);
	c->agent = current;
	return r;
}

static int wire_list(struct conversation *c, const struct agent_frame *agent,
		     struct error *err)
{
	const char *option = features_agents_option(agent), *item;
	const char *list = option ? config_get(c->config, agent->section, option) : NULL;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		int r = name ? wire_one(c, name, err) : out_of_memory(err);

		if (r)
			return r;
	}
	return MT_OK;
}

static int wire_others(struct conversation *c, struct error *err)
{
	int r = wire_list(c, c->agent, err);

	for (size_t i = 0; !r && i < c->other_count; i++)
		r = wire_list(c, &c->others[i], err);
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
		r = wire_others(c, err);
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
