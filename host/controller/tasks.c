/* SPDX-License-Identifier: MIT
 *
 * tasks.c - the task list of a conversation, as text and from the log. */
#include "controller/tasks.h"

#include "events/event.h"
#include "js.h"

#include <string.h>

int tasks_planned(json_object *list, struct strbuf *out)
{
	return strbuf_addf(out, "Task list has been updated with %zu item(s).",
			   list ? json_object_array_length(list) : 0);
}

static const char *icon(const char *status)
{
	if (strcmp(status, "done") == 0)
		return "\xe2\x9c\x85";
	return strcmp(status, "in_progress") == 0 ? "\xf0\x9f\x94\x84" : "\xe2\x8f\xb3";
}

int tasks_text(json_object *list, struct strbuf *out)
{
	size_t n = list ? json_object_array_length(list) : 0;

	if (n == 0)
		return strbuf_add(out, "No task list found. Use the \"plan\" command to "
				  "create one.");
	strbuf_add(out, "# Task List\n");
	for (size_t i = 0; i < n; i++) {
		json_object *task = json_object_array_get_idx(list, i);
		const char *notes = js_str(task, "notes", "");

		strbuf_addf(out, "\n%zu. %s %s\n", i + 1, icon(js_str(task, "status", "")),
			    js_str(task, "title", ""));
		if (*notes)
			strbuf_addf(out, "   %s\n", notes);
	}
	strbuf_cut(out, out->len - 1);
	return out->error;
}

json_object *tasks_newest(struct evlog *log)
{
	for (int64_t id = evlog_count(log); id-- > 0;) {
		const struct evlog_head *head = evlog_head(log, id);
		AUTO(event) struct event *e = NULL;

		if (head->undone || !head->type->is_action
		    || strcmp(head->type->name, "task_tracking") != 0)
			continue;
		e = evlog_event(log, id, NULL);
		if (e && strcmp(event_arg(e, "command"), "plan") == 0)
			return json_object_get(js_get(event_args(e), "task_list"));
	}
	return NULL;
}
