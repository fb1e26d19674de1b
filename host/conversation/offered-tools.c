/* SPDX-License-Identifier: MIT
 *
 * offered-tools.c - the tools that are offered to the model, and the first event of an
 * agent, which lists them. */
#include "conversation/offered-tools.h"

#include "context/prompts.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "exit-code.h"
#include "options.h"
#include "controller/plugins/plugin-host.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "tools/risk-schema.h"

#include <mortise/tool.h>

#include <config.h>
#include <string.h>

/* Did the user leave the choice of tools to us? Also of a resumed conversation, whose
 * settings are those that it started with. */
static bool lists_default_tools(const struct conversation *c)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	const char *list = config_get(c->config, c->agent->section, "tools");
	size_t count;
	const struct mt_option *table = config_table("controller", &count);

	return !(MT_HAS(agent, tools) && agent->tools) && list &&
	       strcmp(list, option_find(table, count, "tools")->fallback) == 0;
}

static bool offered_tools_hides_tool(const struct conversation *c, const struct tool *t)
{
	return (t->hints & MT_TOOL_OPTIONAL) && llm_is_small(c->agent->llm) &&
	       lists_default_tools(c);
}

/* The parameters of a tool; with its risk, if an analyzer uses the model's rating. */
static json_object *offered_schema(const struct conversation *c, const struct tool *t)
{
	if (!c->agent->catalog.reads_risk || tool_only_reads(t) ||
	    (t->hints & MT_TOOL_CONTROL))
		return json_object_get(t->schema_json);
	return risk_schema(t->schema_json, tool_may_read(t));
}

static json_object *offered_tools_list(const struct conversation *c)
{
	json_object *list = js_new_list();

	for (size_t i = 0; i < c->agent->catalog.count; i++) {
		const struct tool *t = &c->agent->catalog.tools[i];
		json_object *f, *o;

		if (FEATURES_ASK(hides_tool, c, t))
			continue;
		f = js_new_object();
		o = js_new_object();
		js_set_str(f, "name", t->name);
		js_set_str(f, "description", t->description);
		js_set_new(f, "parameters", offered_schema(c, t));
		js_set_str(o, "type", "function");
		js_set(o, "function", f);
		if (*t->brief) /* not sent to the model */
			js_set_str(o, "brief", t->brief);
		FEATURES_TELL(describe_tool, c, t, o);
		js_add_new(list, o);
	}
	return list;
}

/* Offer the tools that toolsets have listed since, from the next request on. */
static void offered_tools_update(struct conversation *c)
{
	AUTO(json) json_object *list = NULL;
	bool changed;

	/* The catalogs are shared while an agent works for another, and calls that were
	 * sent early point into them. */
	if (c->parent_count || FEATURES_ASK(holds_calls, c))
		return;
	for (size_t i = 0; i < c->other_count; i++)
		catalog_renew(&c->others[i].catalog);
	changed = features_offer_changed(c);
	changed |= catalog_renew(&c->agent->catalog);
	list = changed ? offered_tools_list(c) : NULL;
	if (list && c->agent->memory)
		request_messages_offer(c->agent->memory, list);
}

/* The text for an agent that works for another: who reads its result, and who shares
 * its directory. */
static int add_subagent(struct conversation *c, struct strbuf *out, struct error *err)
{
	bool same = c->parent_count > 0; /* it works in this conversation; the others
					  * wait */
	AUTO(json) json_object *data = NULL;
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;

	if (!same && !*c->parent)
		return MT_OK;
	data = js_new_object();
	js_set_bool(data, same ? "shared" : c->place, true);
	js_set_bool(data, "parallel", !same);
	text = prompt_render(c->config, c->agent->plugin.component->name, "subagent",
			     data, &why);
	if (!text && why.code == MT_ENOTFOUND) /* a prompt_dir without it */
		return MT_OK;
	if (!text)
		return fail(err, why.code, "%s", why.text);
	return strbuf_addf(out, "%s%s", out->len ? "\n\n" : "", text) ? out_of_memory(err)
								      : MT_OK;
}

/* Arguments of a `system` event, owned; NULL: `err`. */
static json_object *system_args(struct conversation *c, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true };
	const char *suffix = config_get(c->config, c->agent->section, "system_suffix");
	AUTO(strbuf) struct strbuf whole = STRBUF(16 << 20);
	AUTO(json) json_object *args = js_new_object();
	struct mt_str text = { "", 0 };
	struct guard_call outer = plugin_component_enter(x.part, "system");
	int r = agent->system(plugin_host(), &x, &text);

	r = plugin_component_leave(x.part, "system", outer, r, &x.error);
	if (r) {
		fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
		     x.error.code ? x.error.text : status_name(r));
		plugin_ctx_clear(&x);
		return NULL;
	}
	strbuf_addn(&whole, text.ptr, text.len);
	plugin_ctx_clear(&x);
	if (add_subagent(c, &whole, err))
		return NULL;
	if (suffix && *suffix)
		strbuf_addf(&whole, "%s%s", whole.len ? "\n\n" : "", suffix);
	js_set_strn(args, "content", whole.text, whole.len);
	js_set(args, "tools", offered_tools_list(c));
	js_set_str(args, "openhands_version", "mortise " VERSION);
	js_set_str(args, "agent_class", c->agent->plugin.component->name);
	return STEAL(args);
}

/* Take the arguments. @return the id of the event, or a status. */
static int64_t log_system(struct conversation *c, json_object *args, struct error *err)
{
	return conversation_log_event(c, event_action("system", SOURCE_AGENT, args, err),
				      err);
}

int offered_tools_log_system(struct conversation *c, struct error *err)
{
	json_object *args = system_args(c, err);
	int64_t id = args ? log_system(c, args, err) : err->code;

	return id < 0 ? (int)id : MT_OK;
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

int offered_tools_ensure_system(struct conversation *c, struct error *err)
{
	int64_t id = find_system(c);
	int r = id < 0 ? offered_tools_log_system(c, err) : MT_OK;

	if (!r)
		request_messages_set_system(c->agent->memory,
					    id < 0 ? evlog_count(c->log) - 1 : id);
	return r;
}

/* ---- after a change ------------------------------------------------------ */

static const char *name_at(json_object *tools, size_t i)
{
	return js_str(js_get(json_object_array_get_idx(tools, i), "function"), "name",
		      "");
}

static json_object *find_named(json_object *tools, const char *name)
{
	for (size_t i = 0; i < js_length(tools); i++)
		if (strcmp(name_at(tools, i), name) == 0)
			return json_object_array_get_idx(tools, i);
	return NULL;
}

/* Tools of toolsets that list them later are not part of the first event. */
static bool is_listed_later(const struct conversation *c, const char *name)
{
	const struct catalog *all = &c->agent->catalog;

	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->tools[i].name, name) == 0)
			return all->instances[all->tools[i].instance].dynamic;
	return false;
}

/* Append the names of the tools of a list that the other list does not have. */
static void put_missing(const struct conversation *c, struct strbuf *out,
			const char *title, json_object *tools, json_object *others)
{
	const char *between = title;

	for (size_t i = 0; i < js_length(tools); i++) {
		const char *name = name_at(tools, i);

		if (find_named(others, name) || is_listed_later(c, name))
			continue;
		strbuf_addf(out, "%s%s", between, name);
		between = ", ";
	}
	if (between != title)
		strbuf_add(out, ".");
}

static bool same_tools(const struct conversation *c, json_object *a, json_object *b)
{
	for (size_t i = 0; i < js_length(a); i++) {
		const char *name = name_at(a, i);

		if (!is_listed_later(c, name) &&
		    !json_object_equal(json_object_array_get_idx(a, i),
				       find_named(b, name)))
			return false;
	}
	return true;
}

/* A text for the model; empty: nothing has changed. */
static void describe_change(const struct conversation *c, json_object *was,
			    json_object *is, struct strbuf *out)
{
	json_object *old = js_get(was, "tools"), *tools = js_get(is, "tools");
	const char *agent = js_str(is, "agent_class", "");
	const char *before = js_str(was, "agent_class", "");
	bool text = strcmp(js_str(was, "content", ""), js_str(is, "content", "")) != 0;

	if (!text && strcmp(agent, before) == 0 && same_tools(c, old, tools) &&
	    same_tools(c, tools, old))
		return;
	strbuf_add(out, "The user changed the configuration of this conversation.");
	if (strcmp(agent, before) != 0)
		strbuf_addf(out, " You are now the agent %s (before: %s).", agent,
			    before);
	if (text)
		strbuf_add(out, " The instructions at the start of the conversation are "
				"new and apply from now on.");
	put_missing(c, out, " New tools: ", tools, old);
	put_missing(c, out, " Removed tools: ", old, tools);
}

/* Log a `system` event, and a message with the changes. Takes the arguments. */
static int replace_system(struct conversation *c, json_object *args,
			  const struct strbuf *text, struct error *err)
{
	json_object *said;
	int64_t id = log_system(c, args, err);

	if (id < 0)
		return (int)id;
	request_messages_set_system(c->agent->memory, id);
	said = js_new_object();
	js_set_strn(said, "content", text->text, text->len);
	id = conversation_log_event(
		c, event_action("message", SOURCE_ENVIRONMENT, said, err), err);
	return id < 0 ? (int)id : MT_OK;
}

static int renew_system(struct conversation *c, json_object *was, struct error *err)
{
	AUTO(json) json_object *is = system_args(c, err);
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);

	if (!is)
		return err->code;
	describe_change(c, was, is, &text);
	if (!text.len)
		return text.error ? out_of_memory(err) : MT_OK;
	return replace_system(c, STEAL(is), &text, err);
}

/* Do tools depend on what servers list? Then a changed list offers all tools. */
static bool lists_later(const struct conversation *c)
{
	for (size_t i = 0; i < c->agent->catalog.instance_count; i++)
		if (c->agent->catalog.instances[i].dynamic)
			return true;
	return false;
}

/* Offer the tools that the agent did not have when the conversation started, for example
 * in an earlier version. */
static int add_new_tools(struct conversation *c, json_object *was, struct error *err)
{
	AUTO(json) json_object *tools = offered_tools_list(c), *is = NULL;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);

	if (!lists_later(c))
		put_missing(c, &text, "New tools: ", tools, js_get(was, "tools"));
	if (!text.len)
		return text.error ? out_of_memory(err) : MT_OK;
	if (json_object_deep_copy(was, &is, NULL))
		return out_of_memory(err);
	js_set(is, "tools", STEAL(tools));
	return replace_system(c, STEAL(is), &text, err);
}

/* ---- the feature --------------------------------------------------------- */

enum check { CHECK_NONE, CHECK_TOOLS, CHECK_SYSTEM };

struct offer {
	enum check due; /* of the agent's `system` event */
};

void offered_tools_check_system(struct conversation *c)
{
	struct offer *offer = feature_state(c, &offered_tools_feature);

	offer->due = CHECK_SYSTEM;
}

void offered_tools_check_tools(struct conversation *c)
{
	struct offer *offer = feature_state(c, &offered_tools_feature);

	if (offer->due == CHECK_NONE)
		offer->due = CHECK_TOOLS;
}

static bool offered_tools_before_step(struct conversation *c)
{
	struct offer *offer = feature_state(c, &offered_tools_feature);
	AUTO(event) struct event *was = NULL;
	struct error err = ERROR_NONE;
	enum check due = offer->due;
	int r;

	if (!due || c->parent_count)
		return false;
	offer->due = CHECK_NONE;
	was = evlog_event(c->log, request_messages_system(c->agent->memory), &err);
	if (!was)
		r = err.code;
	else if (due == CHECK_SYSTEM)
		r = renew_system(c, event_args(was), &err);
	else
		r = add_new_tools(c, event_args(was), &err);
	if (r)
		step_fail(c, r, EXIT_FAILED, err.text);
	return r;
}

const struct feature offered_tools_feature = {
	.name = "offered tools",
	.state_size = sizeof(struct offer),
	.before_work = offered_tools_update,
	.before_step = offered_tools_before_step,
	.hides_tool = offered_tools_hides_tool,
};
