/* SPDX-License-Identifier: MIT
 *
 * analyze.c - the verdict on an action. */
#include "controller/analyze.h"

#include "controller/internal.h"

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
	(void)c;
	return false;
}

/* The tool that the model called. */
static const struct tool *tool_of(const struct conversation *c, struct event *action)
{
	const char *name = js_str(event_tool_meta(action), "function_name", "");

	return catalog_find(&c->catalog, name);
}

int analyzers_judge(struct conversation *c, struct event *action, struct verdict *ret)
{
	const struct tool *tool = tool_of(c, action);

	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (tool && (tool->hints & MT_TOOL_READ_ONLY))
		ret->risk = RISK_LOW;
	return MT_OK;
}
