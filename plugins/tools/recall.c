/* SPDX-License-Identifier: MIT
 *
 * recall.c - the tool that asks the host for condensed events, which are still in the
 * log. */
#include "asking.h"

static int recall_run(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)host;
	return ask_host(self, "history/recall", call);
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
		.name = "recall",
		.description =
			"Read earlier events, including condensed ones: matches of "
			"`query`, or events `from` to `to` in full.",
		.brief = "Read earlier events.",
		MT_PARAMS(MT_TEXT("query"), MT_INTEGER("from"), MT_INTEGER("to")),
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = tool_self_open, .call = recall_run, .close = tool_self_close,
};

MT_TOOLSET(&set, "recall", .name = "recall",
	   .summary = "Reads condensed events from the log.")
