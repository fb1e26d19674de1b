/* SPDX-License-Identifier: MIT
 *
 * delegation.c - tools that delegate to other agents. They have no code: the
 * controller handles their events, and actions of those agents are checked like
 * others. */
#include <mortise/tool.h>

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "delegate",
		.description =
			"Delegate a subtask to another agent and wait for its report. "
			"It works in the same workspace with its own tools. It does "
			"not see this conversation: put everything it needs, and what "
			"it should report, into `task`.",
		.brief = "Delegate a subtask to another agent; returns its report.",
		MT_PARAMS(MT_TEXT("agent", MT_REQUIRED, "agent that does it:"),
			  MT_TEXT("task", MT_REQUIRED,
				  "the task, with everything needed to do it")),
		.events = "[{\"action\":\"delegate\",\"args\":{\"agent\":\"$agent\","
			  "\"inputs\":{\"task\":\"$task\"}},"
			  "\"required\":[\"agent\",\"task\"]}]",
	},
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "delegate_tasks",
		.description =
			"Delegate several tasks to agents that work in parallel, and "
			"wait for all of them, or with `background` continue and get "
			"the results in a message. Use it for independent tasks. An "
			"agent sees only its `task`, or with `context` fork also this "
			"conversation. `workspace`: `shared` is your directory "
			"(assign files to agents), `copy` a copy of it, `own` an empty "
			"one. Returns the last message of each, or why it did not "
			"finish.",
		.brief = "Delegate several tasks to agents that work in parallel.",
		.schema = "{\"type\":\"object\",\"properties\":{\"tasks\":{\"type\":"
			  "\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
			  "\"task\":{\"type\":\"string\",\"description\":\"the task, "
			  "with everything needed to do "
			  "it\"},\"agent\":{\"type\":\"string\","
			  "\"description\":\"agent that does it; default: a copy of you\"},"
			  "\"workspace\":{\"type\":\"string\",\"enum\":[\"shared\",\"copy\","
			  "\"own\"],\"description\":\"default: shared\"},\"context\":{"
			  "\"type\":\"string\",\"enum\":[\"task\",\"fork\"]}},"
			  "\"required\":[\"task\"]}},\"background\":{\"type\":"
			  "\"boolean\"}},\"required\":[\"tasks\"]"
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
	   .summary = "Delegates tasks to one agent, or to several in parallel.")
