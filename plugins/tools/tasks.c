/* SPDX-License-Identifier: MIT
 *
 * tasks.c - the task list of a model. It is stored in the event log: the controller
 * handles its events, and condensation keeps the newest list. */
#include <mortise/tool.h>

#define ITEMS "{\"$each\":\"$task_list\",\"also\":{\"title\":[\"content\"]},"    \
	      "\"values\":{\"status\":{\"todo\":\"todo\",\"in_progress\":"           \
	      "\"in_progress\",\"done\":\"done\",\"pending\":\"todo\","              \
	      "\"completed\":\"done\"}},\"item\":{\"id\":\"task-$n\","            \
	      "\"title\":\"Untitled task\",\"status\":\"todo\",\"notes\":\"\"}}"
#define FIELDS "\"action\":\"task_tracking\",\"observation\":\"task_tracking\","   \
	       "\"args\":{\"command\":\"$command\",\"task_list\":" ITEMS "}"

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "task_tracker",
		.description =
			"Track the steps of a multi-step task. The list is kept when "
			"older events are removed from your context.\n"
			"plan: replace the whole list by `task_list`; keep the ids of "
			"tasks. view: show it.\n"
			"Use it when the work has several dependent steps, or when the "
			"user asks for several things; not for work of a few calls. "
			"Split the work into verifiable tasks, keep exactly one "
			"in_progress, and mark it done as soon as it is verified. Add "
			"tasks you discover; failed ones stay open, with the reason in "
			"their notes.",
		.brief = "A persistent task list: `plan` replaces it, `view` shows it.",
		.schema =
			"{\"type\":\"object\",\"properties\":{"
			"\"command\":{\"type\":\"string\",\"enum\":[\"view\",\"plan\"]},"
			"\"task_list\":{\"type\":\"array\",\"description\":\"for plan: all "
			"tasks, in order\",\"items\":{\"type\":\"object\",\"properties\":{"
			"\"id\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
			"\"status\":{\"type\":\"string\",\"enum\":[\"todo\",\"in_progress\","
			"\"done\"]},\"notes\":{\"type\":\"string\"}},"
			"\"required\":[\"title\",\"status\",\"id\"]}}},"
			"\"required\":[\"command\"]"
			",\"additionalProperties\":false}",
		.events = "[{\"when\":{\"command\":\"plan\"},\"required\":[\"task_list\"]," FIELDS
			  "},{\"required\":[\"command\"]," FIELDS "}]",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
};

MT_TOOLSET(&set, "tasks", .name = "tasks",
	   .summary = "Tracks the steps of a multi-step task.")
