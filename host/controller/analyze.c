/* SPDX-License-Identifier: MIT
 *
 * analyze.c - the verdict on an action of a conversation. */
#include "controller/analyze.h"

#include "controller/analyzers.h"
#include "controller/call.h"
#include "controller/core.h"

#include <string.h>

const char *risk_name(enum risk risk)
{
	switch (risk) {
	case RISK_LOW:
		return "LOW";
	case RISK_MEDIUM:
		return "MEDIUM";
	case RISK_HIGH:
		return "HIGH";
	case RISK_UNKNOWN:
		break;
	}
	return "UNKNOWN";
}

bool analyzers_wired(const struct conversation *c)
{
	return analyzers_count(c->analyzers) > 0;
}

/* Its call, or, if it is none of the tools, its fields. */
static json_object *arguments_of(struct conversation *c, struct event *action,
				 const struct tool **ret_tool)
{
	const char *name = js_str(event_tool_meta(action), "function_name", NULL);
	json_object *args = NULL;
	struct call call;
	int r = call_resolve(&c->agent->catalog, action, &call, NULL);

	*ret_tool = call.tool;
	if (!r)
		return call.args;
	if (name)
		*ret_tool = catalog_find(&c->agent->catalog, name);
	if (json_object_deep_copy(event_args(action), &args, NULL))
		return NULL;
	json_object_object_del(args, "thought");
	json_object_object_del(args, "security_risk");
	return args;
}

int analyzers_judge(struct conversation *c, struct event *action, struct verdict *ret)
{
	const struct tool *tool;
	AUTO(json) json_object *args = arguments_of(c, action, &tool);
	bool reads = tool && tool_only_reads(tool);
	bool classified = analyzers_classify(c->analyzers);
	const struct subject subject = {
		.event = action,
		.tool = tool ? tool->name : "",
		.hints = tool ? tool->hints : 0,
		.trusted = tool && tool->trusted,
		.args = args,
		.thought = event_arg(action, "thought"),
		.reasoning = js_str(action->json, "reasoning_content", ""),
		.workspace = c->workspace,
		.directory = c->shell_dir,
		.said = reads ? RISK_LOW
			      : (enum risk)js_int(event_args(action), "security_risk",
						  RISK_UNKNOWN),
	};
	int r = MT_OK;

	*ret = (struct verdict){ .risk = reads ? RISK_LOW : RISK_UNKNOWN };
	if (analyzers_wired(c))
		r = analyzers_ask(c->analyzers, &subject, ret);
	if (!r && reads && !classified && ret->risk == RISK_UNKNOWN)
		ret->risk = RISK_LOW;
	return r;
}
