/* SPDX-License-Identifier: MIT
 *
 * tasks.c - the list of tasks that a model keeps for itself. It lives in the event
 * log: the controller answers, and condensation keeps the newest list. */
#include <mortise/tool.h>

#define ITEMS "{\"$each\":\"$task_list\",\"item\":{\"id\":\"task-$n\","            \
	      "\"title\":\"Untitled task\",\"status\":\"todo\",\"notes\":\"\"}}"
#define FIELDS "\"action\":\"task_tracking\",\"observation\":\"task_tracking\","   \
	       "\"args\":{\"command\":\"$command\",\"task_list\":" ITEMS "}"

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_CONTROL,
		.name = "task_tracker",
		.description =
			"Keep a list of the tasks of a longer piece of work: it stays with "
			"you when older events are forgotten.\n"
			"plan: replaces the whole list by `task_list`; give each task the id "
			"it had. view: shows it.\n"
			"Use it when the work has several steps that depend on each other, or "
			"when the user asks for several things; not for one that is done in a "
			"few calls. Break the work into tasks that can be checked, mark the "
			"one you work on in_progress, only one at a time, and mark it done as "
			"soon as it is done and checked, not later. Add what you find on the "
			"way; what failed stays open, with the reason in its notes.",
		.brief = "A task list that stays with you: `plan` replaces it, `view` shows it.",
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
	   .summary = "Tracks the steps of a longer task.")
