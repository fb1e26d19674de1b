/* SPDX-License-Identifier: MIT
 *
 * delegation.c - tools that give work to other agents. They run nothing: the
 * controller acts on their events, and what those agents do passes its gate. */
#include <mortise/tool.h>

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "delegate",
		.description =
			"Let another agent do a part of the task in your place, and wait "
			"for it. It works in the same workspace with tools of its own; it "
			"does not know what was said so far, so write into `task` all that "
			"it needs and what it shall report. You get what it reports.",
		.brief = "Let another agent do a part of the task; returns its report.",
		.schema = "{\"type\":\"object\",\"properties\":{\"agent\":{\"type\":"
			  "\"string\",\"description\":\"which agent\"},\"task\":{\"type\":"
			  "\"string\",\"description\":\"what it shall do, with all that it "
			  "needs to know\"}},\"required\":[\"agent\",\"task\"]"
			  ",\"additionalProperties\":false}",
		.events = "[{\"action\":\"delegate\",\"args\":{\"agent\":\"$agent\","
			  "\"inputs\":{\"task\":\"$task\"}},"
			  "\"required\":[\"agent\",\"task\"]}]",
	},
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "delegate_tasks",
		.description =
			"Give several tasks to agents that work on them at the same time, "
			"and wait for all of them. Use it for parts that do not depend on "
			"each other. An agent knows only its `task`. `workspace` says where "
			"it works: `shared` is your directory (say which files are whose), "
			"`copy` a copy of it, `own` an empty one. Returns the last message "
			"of each, or why it did not finish.",
		.brief = "Give several tasks to agents that work at the same time.",
		.schema = "{\"type\":\"object\",\"properties\":{\"tasks\":{\"type\":"
			  "\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
			  "\"task\":{\"type\":\"string\",\"description\":\"what it shall do, "
			  "with all that it needs to know\"},\"agent\":{\"type\":\"string\","
			  "\"description\":\"which agent; without it, one like you\"},"
			  "\"workspace\":{\"type\":\"string\",\"enum\":[\"shared\",\"copy\","
			  "\"own\"],\"description\":\"where; without it, shared\"}},"
			  "\"required\":[\"task\"]}}},\"required\":[\"tasks\"]"
			  ",\"additionalProperties\":false}",
		.events = "[{\"action\":\"call_tool\",\"observation\":\"tool\",\"args\":{"
			  "\"name\":\"delegate_tasks\",\"arguments\":\"$*\"},"
			  "\"required\":[\"tasks\"]}]",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 2, .tools = tools,
};

MT_TOOLSET(&set, "delegation", .name = "delegation",
	   .summary = "Delegates work to another agent, or to several at the same "
		      "time.")
