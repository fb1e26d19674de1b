/* SPDX-License-Identifier: MIT
 *
 * analyze.c - computes the verdict on an action of a conversation. */
#include "features/approval/analyze.h"

#include "controller/plugins/analyzers.h"
#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/conversation-parts.h"
#include "conversation/shell-directory.h"
#include "sandbox/roots.h"

#include <string.h>

bool approval_has_analyzers(const struct conversation *c)
{
	return analyzers_count(conversation_analyzers(c)) > 0;
}

/* The tool that the model named, if no tool runs the action. */
static const struct tool *analyze_tool_of(const struct conversation *c,
					  const struct call *call)
{
	const char *name = js_str(event_tool_meta(call->action), "function_name", NULL);

	return call->tool || !name ? call->tool
				   : catalog_find(&conversation_agent(c)->catalog, name);
}

/* The arguments with unmasked secrets, if these are known; without a tool, the fields
 * of the action. */
static json_object *analyze_arguments_of(const struct call *call)
{
	json_object *args = NULL;

	if (call->tool)
		return json_object_get(call->args ? call->args : call->logged_args);
	if (json_object_deep_copy(event_args(call->action), &args, NULL))
		return NULL;
	json_object_object_del(args, "thought");
	json_object_object_del(args, "security_risk");
	return args;
}

/* A call that only reads needs no assessment. */
static enum risk said_risk(const struct event *action, const struct tool *tool)
{
	enum risk said =
		(enum risk)js_int(event_args(action), "security_risk", RISK_UNKNOWN);

	if (tool && tool_only_reads(tool))
		return RISK_LOW;
	if (said == RISK_UNKNOWN && tool && tool->trusted &&
	    action->type->id == ACTION_READ)
		return RISK_LOW;
	return said;
}

int approval_ask_analyzers(struct conversation *c, struct call *call, struct verdict *ret)
{
	struct event *action = call->action;
	const struct tool *tool = analyze_tool_of(c, call);
	AUTO(json) json_object *args = analyze_arguments_of(call);
	AUTO(json) json_object *roots = roots_json(conversation_config(c));
	bool reads = tool && tool_only_reads(tool);
	bool classified = analyzers_classify(conversation_analyzers(c));
	const struct subject subject = {
		.event = action,
		.tool = tool ? tool->name : "",
		.hints = tool ? tool->hints : 0,
		.trusted = tool && tool->trusted,
		.args = args,
		.thought = event_arg(action, "thought"),
		.reasoning = js_str(action->json, "reasoning_content", ""),
		.workspace = conversation_workspace(c),
		.roots = roots,
		.directory = shell_directory_of(c),
		.said = said_risk(action, tool),
	};
	int r = MT_OK;

	*ret = (struct verdict){ .risk = reads ? RISK_LOW : RISK_UNKNOWN };
	if (approval_has_analyzers(c))
		r = analyzers_ask(conversation_analyzers(c), &subject, ret);
	if (!r && reads && !classified && ret->risk == RISK_UNKNOWN)
		ret->risk = RISK_LOW;
	return r;
}
