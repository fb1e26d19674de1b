/* SPDX-License-Identifier: MIT
 *
 * task-list.c - the task list of a conversation, as text and from the log. */
#include "features/task-list.h"

#include "context/history.h"
#include "controller/actions.h"
#include "controller/feature-api.h"
#include "features/observation-note.h"
#include "files.h"
#include "log.h"

#include <string.h>

int tasks_planned(json_object *list, struct strbuf *out)
{
	return strbuf_addf(out, /* verbatim from OpenHands */
			   "Task list has been updated with %zu item(s).",
			   list ? json_object_array_length(list) : 0);
}

enum task_status { TODO, IN_PROGRESS, DONE, STATUS_COUNT };

static enum task_status task_list_status(json_object *task)
{
	const char *status = js_str(task, "status", "");

	if (strcmp(status, "done") == 0)
		return DONE;
	return strcmp(status, "in_progress") == 0 ? IN_PROGRESS : TODO;
}

static void task_list_put_task(json_object *task, size_t number, struct strbuf *out)
{
	static const char *const icons[STATUS_COUNT] = {
		[TODO] = "\xe2\x8f\xb3",
		[IN_PROGRESS] = "\xf0\x9f\x94\x84",
		[DONE] = "\xe2\x9c\x85",
	};
	const char *notes = js_str(task, "notes", "");

	strbuf_addf(out, "\n%zu. %s %s\n", number, icons[task_list_status(task)],
		    js_str(task, "title", ""));
	if (*notes)
		strbuf_addf(out, "   %s\n", notes);
}

int tasks_text(json_object *list, struct strbuf *out)
{
	size_t n = list ? json_object_array_length(list) : 0;

	if (n == 0) /* verbatim from OpenHands */
		return strbuf_add(out, "No task list found. Use the \"plan\" command to "
				       "create one.");
	strbuf_add(out, "# Task List\n");
	for (size_t i = 0; i < n; i++)
		task_list_put_task(json_object_array_get_idx(list, i), i + 1, out);
	strbuf_cut(out, out->len - 1);
	return out->error;
}

static bool task_list_is_same(json_object *a, json_object *b)
{
	static const char *const shown[] = { "title", "status", "notes" };

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		if (strcmp(js_str(a, shown[i], ""), js_str(b, shown[i], "")) != 0)
			return false;
	return true;
}

/* The number of tasks of each status, and the tasks that differ from those with the same
 * number in the list `before`. */
static void task_list_put_changes(json_object *list, json_object *before,
				  struct strbuf *out)
{
	AUTO(strbuf) struct strbuf changed = STRBUF(16 << 20);
	size_t counts[STATUS_COUNT] = { 0 };

	for (size_t i = 0; i < js_length(list); i++) {
		json_object *task = json_object_array_get_idx(list, i);

		counts[task_list_status(task)]++;
		if (i >= js_length(before) ||
		    !task_list_is_same(task, json_object_array_get_idx(before, i)))
			task_list_put_task(task, i + 1, &changed);
	}
	strbuf_addf(out, "\n%zu done, %zu in progress, %zu to do. ", counts[DONE],
		    counts[IN_PROGRESS], counts[TODO]);
	if (changed.len)
		strbuf_addf(out, "Changed:\n%.*s", (int)changed.len - 1, changed.text);
	else
		strbuf_add(out, "No task changed.");
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

/* The newest list in the view, a reference; NULL: there is none. */
static json_object *newest_list(struct history *h, struct evlog *log)
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

/* ---- the action ---------------------------------------------------------- */

/* A copy for the user; the list itself is in the log. */
static void copy_tasks(struct conversation *c, const struct strbuf *text)
{
	AUTO(free) char *path = path_join(evlog_dir(conversation_log(c)), "TASKS.md");
	struct error err = ERROR_NONE;

	if (path && file_write(path, text->text, text->len, 0600, false, &err))
		log_line(MT_LOG_WARNING, "controller", "TASKS.md: %s", err.text);
}

/* ---- a list that is not updated ------------------------------------------- */

enum { STALE_STEPS = 12 };

struct state {
	bool known;      /* the next two are those of the log */
	int64_t list;    /* observation of the agent's newest list; -1: none */
	unsigned steps;  /* number of its results since */
};

static struct state *task_list_state(const struct conversation *c)
{
	return feature_agent_state(conversation_agent(c), &task_list_feature);
}

static bool is_tool_result(const struct evlog *log, const struct evlog_head *head)
{
	return !head->type->is_action && head->cause >= 0 &&
	       evlog_head(log, head->cause)->dispatched;
}

/* Find the newest list of this agent, which an earlier process may have logged. */
static void find_list(const struct evlog *log, struct state *s)
{
	int64_t id = evlog_count(log);
	int64_t owner = evlog_delegation_owner(log, id);

	*s = (struct state){ .known = true, .list = -1 };
	while (s->list < 0 && id-- > 0) {
		const struct evlog_head *head = evlog_head(log, id);

		if (head->undone || evlog_delegation_owner(log, id) != owner)
			continue;
		if (head->type->id == OBSERVATION_TASK_TRACKING)
			s->list = id;
		s->steps += is_tool_result(log, head);
	}
}

static void forget_list(struct conversation *c)
{
	task_list_state(c)->known = false;
}

/* The first task in progress, otherwise the first that is not done; NULL: none. */
static const char *open_task(json_object *list)
{
	const char *open = NULL;

	for (size_t i = 0; i < js_length(list); i++) {
		json_object *task = json_object_array_get_idx(list, i);
		const char *status = js_str(task, "status", "");

		if (strcmp(status, "in_progress") == 0)
			return js_str(task, "title", "");
		if (!open && strcmp(status, "done") != 0)
			open = js_str(task, "title", "");
	}
	return open;
}

/* Remind the model of a list that it has not updated for many steps. */
static void mention_stale(struct conversation *c, const struct event *action,
			  const struct runner_result *result, struct event *e)
{
	struct state *s = task_list_state(c);
	AUTO(json) json_object *list = NULL;
	AUTO(strbuf) struct strbuf text = STRBUF(4096);
	const char *task;

	(void)action;
	(void)result;
	if (!s->known)
		find_list(conversation_log(c), s);
	if (s->list < 0 || ++s->steps % STALE_STEPS)
		return;
	list = list_of(conversation_log(c), s->list);
	task = open_task(list);
	if (!task)
		return;
	strbuf_addf(
		&text,
		"[The task list has not been used in the last %u calls. Open: %.200s. Update it "
		"with task_tracker.]",
		s->steps, task);
	observation_note_add(e, text.text);
}

static void track_tasks(struct conversation *c, struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20), said = STRBUF(16 << 20);
	const char *command = event_arg(e, "command");
	bool plans = strcmp(command, "plan") == 0;
	AUTO(json) json_object *before =
		newest_list(conversation_agent(c)->history, conversation_log(c));
	json_object *list = plans ? js_get(event_args(e), "task_list") : before;
	json_object *extras = js_new_object();

	if (!plans && strcmp(command, "view") != 0) {
		json_object_put(extras);
		strbuf_addf(&said, "Unknown command: %s. There are view and plan.",
			    command);
		action_answer(c, e, "error", said.text, NULL);
		return;
	}
	tasks_text(list, &text);
	if (plans) {
		tasks_planned(list, &said);
		if (js_length(before))
			task_list_put_changes(list, before, &said);
		else if (js_length(list))
			strbuf_addf(&said, "\n%s", text.text);
		strbuf_addc(&text, '\n');
		copy_tasks(c, &text);
	}
	js_set_str(extras, "command", command);
	js_set(extras, "task_list", list ? json_object_get(list) : js_new_list());
	forget_list(c);
	action_answer(c, e, "task_tracking", plans ? said.text : text.text, extras);
}

/* ---- planning -------------------------------------------------------------- */

static bool names_task_list(const char *list)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if ((len == 5 && memcmp(item, "tasks", 5) == 0) ||
		    (len == 12 && memcmp(item, "task_tracker", 12) == 0))
			return true;
	return false;
}

/* An agent that should plan has the tool of the task list, even if its `tools` do not
 * name it. */
static const char *tool_for_planning(const struct conversation *c, const char *section,
				     const char *list)
{
	return config_bool(conversation_config(c), section, "plan") &&
			       !names_task_list(list)
		       ? "tasks"
		       : NULL;
}

static const struct action_handler actions[] = {
	{ ACTION_TASK_TRACKING, .handle = track_tasks },
	{ 0 },
};

const struct feature task_list_feature = {
	.name = "task list",
	.agent_state_size = sizeof(struct state),
	.rewound = forget_list,
	.after_result = mention_stale,
	.actions = actions,
	.extra_tool = tool_for_planning,
};
