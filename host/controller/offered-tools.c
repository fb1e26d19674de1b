/* SPDX-License-Identifier: MIT
 *
 * offered-tools.c - the tools that are offered to the model, and the first event of an
 * agent, which lists them. */
#include "controller/offered-tools.h"

#include "context/prompts.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/parallel-calls.h"
#include "controller/plugins/plugin-host.h"
#include "controller/turn.h"
#include "tools/risk-schema.h"

#include <mortise/tool.h>

#include <config.h>
#include <string.h>

/* The parameters of a tool; with its risk, if an analyzer uses the model's rating. */
static json_object *offered_schema(const struct conversation *c, const struct tool *t)
{
	enum risk_words words = llm_is_small(c->agent->llm) ? RISK_WORDS_NONE
				: strcmp(c->runtime.component->name, "local") != 0
					? RISK_WORDS_SANDBOX
					: RISK_WORDS_LOCAL;

	if (!c->agent->catalog.reads_risk || tool_only_reads(t) ||
	    (t->hints & MT_TOOL_CONTROL))
		return json_object_get(t->schema_json);
	return risk_schema(t->schema_json, words, tool_may_read(t));
}

static json_object *list_tools(const struct conversation *c)
{
	json_object *list = js_new_list();

	for (size_t i = 0; i < c->agent->catalog.count; i++) {
		const struct tool *t = &c->agent->catalog.tools[i];
		json_object *f, *o;

		if (features_hide_tool(c, t))
			continue;
		f = js_new_object();
		o = js_new_object();
		js_set_str(f, "name", t->name);
		js_set_str(f, "description", t->description);
		js_set_new(f, "parameters", offered_schema(c, t));
		js_set_str(o, "type", "function");
		js_set(o, "function", f);
		if (*t->brief) /* in addition to what is sent to the model */
			js_set_str(o, "brief", t->brief);
		features_describe_tool(c, t, o);
		js_add_new(list, o);
	}
	return list;
}

/* Offer the tools that toolsets have listed since, from the next request on. */
void offered_tools_update(struct conversation *c)
{
	AUTO(json) json_object *list = NULL;
	bool changed;

	/* The catalogs are shared while an agent works for another, and calls that were
	 * sent early point into them. */
	if (c->parent_count || turn_parallel(c)->count)
		return;
	for (size_t i = 0; i < c->other_count; i++)
		catalog_renew(&c->others[i].catalog);
	changed = features_offer_changed(c);
	changed |= catalog_renew(&c->agent->catalog);
	list = changed ? list_tools(c) : NULL;
	if (list && c->agent->memory)
		request_messages_offer(c->agent->memory, list);
}

/* What an agent that works for another has to know: who reads its result, and who shares
 * its directory. */
static int add_subagent(struct conversation *c, struct strbuf *out, struct error *err)
{
	bool same = c->parent_count > 0; /* works in this conversation; the others wait */
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

int offered_tools_log_system(struct conversation *c, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true };
	json_object *args = js_new_object();
	const char *suffix = config_get(c->config, c->agent->section, "system_suffix");
	AUTO(strbuf) struct strbuf whole = STRBUF(16 << 20);
	struct mt_str text = { "", 0 };
	struct guard_call outer = plugin_component_enter(x.part, "system");
	int r = agent->system(plugin_host(), &x, &text);

	guard_leave(outer);
	if (r) {
		fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
		     x.error.code ? x.error.text : status_name(r));
	} else {
		strbuf_addn(&whole, text.ptr, text.len);
		r = add_subagent(c, &whole, err);
	}
	if (!r) {
		int64_t id;

		if (suffix && *suffix)
			strbuf_addf(&whole, "%s%s", whole.len ? "\n\n" : "", suffix);
		js_set_strn(args, "content", whole.text, whole.len);
		js_set(args, "tools", list_tools(c));
		js_set_str(args, "openhands_version", "mortise " VERSION);
		js_set_str(args, "agent_class", c->agent->plugin.component->name);
		id = conversation_log_event(c,
					    event_action("system", SOURCE_AGENT,
							 json_object_get(args), err),
					    err);
		r = id < 0 ? (int)id : MT_OK;
	}
	json_object_put(args);
	plugin_ctx_clear(&x);
	return r;
}
