/* SPDX-License-Identifier: MIT
 *
 * task-list.c - the task list of a conversation, as text and from the log. */
#include "controller/task-list.h"

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

		strbuf_addf(out, "\n%zu. %s %s\n", i + 1,
			    icon(js_str(task, "status", "")), js_str(task, "title", ""));
		if (*notes)
			strbuf_addf(out, "   %s\n", notes);
	}
	strbuf_cut(out, out->len - 1);
	return out->error;
}

static json_object *list_of(struct evlog *log, int64_t id)
{
	const struct evlog_head *head = id >= 0 ? evlog_head(log, id) : NULL;
	AUTO(event) struct event *e = NULL;

	if (!head || head->type->id != OBSERVATION_TASK_TRACKING)
		return NULL;
	e = evlog_event(log, id, NULL);
	return e ? json_object_get(js_path(e->json, "extras.task_list")) : NULL;
}

json_object *tasks_newest(struct history *h, struct evlog *log)
{
	struct view_item *view = NULL;
	json_object *list = NULL;
	size_t count = 0;

	if (history_view(h, &view, &count, NULL))
		return NULL;
	while (!list && count-- > 0)
		list = list_of(log, view[count].event);
	free(view);
	return list;
}
