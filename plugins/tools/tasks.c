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
			"Track the steps of a longer task, not of a few calls. plan "
			"replaces the whole list by `task_list`, view shows it. Keep "
			"exactly one task in_progress; mark it done once it is "
			"verified. Leave failed tasks open, with the reason in `notes`.",
		.brief = "Keep a task list.",
		.schema =
			"{\"type\":\"object\",\"properties\":{"
			"\"command\":{\"type\":\"string\",\"enum\":[\"view\",\"plan\"]},"
			"\"task_list\":{\"type\":\"array\","
			"\"items\":{\"type\":\"object\",\"properties\":{"
			"\"title\":{\"type\":\"string\"},"
			"\"status\":{\"type\":\"string\",\"enum\":[\"todo\",\"in_progress\","
			"\"done\"]},\"notes\":{\"type\":\"string\"}},"
			"\"required\":[\"title\",\"status\"]}}},"
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
