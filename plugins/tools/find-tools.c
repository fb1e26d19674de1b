/* SPDX-License-Identifier: MIT
 *
 * find-tools.c - the tool that loads definitions of tools that are listed by name
 * only; they are offered from the next request on. */
#include "asking.h"

static int find_tools_run(const struct mt_tool_host *host, void *self,
			  struct mt_call *call)
{
	(void)host;
	return ask_host(self, "tools/find", call);
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
		.name = "find_tools",
		.description =
			"Load the definitions of tools that are listed by name only, "
			"so that you can call them. Request every tool you need in one "
			"call. `names`: tool names; `query`: search terms that must "
			"occur in the name or description.",
		.brief = "Load tools that are listed by name only, so that you can "
			 "call them.",
		MT_PARAMS(MT_LIST("names"), MT_TEXT("query")),
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = tool_self_open, .call = find_tools_run, .close = tool_self_close,
};

MT_TOOLSET(&set, "find-tools", .name = "find_tools",
	   .summary = "Loads definitions of tools that are listed by name only.")
