/* SPDX-License-Identifier: MIT
 *
 * recall.c - what was forgotten is still in the log: the tool that asks the host
 * for it. */
#include "asking.h"

static int run(void *self, const char *tool, struct mt_call *call)
{
	(void)tool;
	return ask_host(self, "history/recall", call);
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
		.name = "recall",
		.description =
			"Read again what happened earlier in this conversation, also what was "
			"forgotten or summarised. `query`: words that it has; you get the "
			"events that have them, cut, each with its number. `from` and `to`: "
			"numbers of events; you get them whole.",
		.brief = "Read again what happened earlier, by words or by numbers of events.",
		.schema = "{\"type\":\"object\",\"properties\":{"
			  "\"query\":{\"type\":\"string\"},"
			  "\"from\":{\"type\":\"integer\",\"minimum\":0},"
			  "\"to\":{\"type\":\"integer\",\"minimum\":0}}"
			  ",\"additionalProperties\":false}",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = asking_open, .call = run, .close = free,
};

MT_TOOLSET(&set, "recall", .name = "recall",
	   .summary = "What was forgotten, from the log.")
