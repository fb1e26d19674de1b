/* SPDX-License-Identifier: MIT
 *
 * messages.c - sends commands to the conversation and handles its messages. */
#include "chat.h"

#include "clock.h"

#include <string.h>

bool chat_in_state(const struct chat *c, const char *state)
{
	return strcmp(c->state, state) == 0;
}

/* ---- out --------------------------------------------------------------- */

static struct asked *chat_messages_slot(struct chat *c, int64_t number)
{
	return &c->asked[number % ASKED_MAX];
}

static void chat_messages_begin_line(const struct chat *c, struct strbuf *out,
				     const char *type)
{
	strbuf_addc(out, '{');
	js_key_str(out, "type", type);
	js_key_int(out, "id", c->sent);
}

/* @return the number of the command, or -1. */
static int64_t chat_messages_end_line(struct chat *c, struct strbuf *out,
				      const char *type)
{
	struct asked *a = chat_messages_slot(c, c->sent);

	strbuf_addc(out, '}');
	if (out->error) {
		event_view_remark(&c->show, RED, "The message is too long to send.");
		return -1;
	}
	if (connection_send(&c->link, out->text, out->len))
		return -1;
	free(a->text);
	*a = (struct asked){ .what = type };
	return c->sent++;
}

static int64_t chat_messages_send_line(struct chat *c, const char *type,
				       const char *member, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MESSAGE_MAX * 6 + 1024);

	chat_messages_begin_line(c, &out, type);
	if (member)
		js_key_strn(&out, member, text, len);
	return chat_messages_end_line(c, &out, type);
}

bool chat_command_number(struct chat *c, const char *type, const char *member,
			 int64_t number)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1024);

	if (!chat_reconnect(c))
		return false;
	chat_messages_begin_line(c, &out, type);
	js_key_int(&out, member, number);
	return chat_messages_end_line(c, &out, type) >= 0;
}

bool chat_command(struct chat *c, const char *type, const char *member, const char *text)
{
	return chat_reconnect(c) && chat_messages_send_line(c, type, member, text,
							    text ? strlen(text) : 0) >= 0;
}

/* Replace the number of a choice by its text. */
static const char *choice(json_object *choices, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);
	size_t count = choices ? json_object_array_length(choices) : 0;

	if (end == text || *end || n < 1 || (size_t)n > count)
		return text;
	return json_object_get_string(json_object_array_get_idx(choices, (size_t)n - 1));
}

void chat_answer(struct chat *c, const char *text)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MESSAGE_MAX * 6 + 1024);

	chat_messages_begin_line(c, &out, "answer");
	js_key_int(&out, "question", c->question);
	if (text)
		js_key_str(&out, "text", choice(c->choices_of_question, text));
	chat_messages_end_line(c, &out, "answer");
}

bool chat_command_members(struct chat *c, const char *type, const char *members)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MESSAGE_MAX * 6 + 1024);

	if (!chat_reconnect(c))
		return false;
	chat_messages_begin_line(c, &out, type);
	strbuf_addc(&out, ',');
	strbuf_add(&out, members);
	return chat_messages_end_line(c, &out, type) >= 0;
}

void chat_run_command(struct chat *c, const char *command)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MESSAGE_MAX * 6 + 1024);

	if (!chat_reconnect(c))
		return;
	chat_messages_begin_line(c, &out, "action");
	strbuf_add(&out, ",\"action\":{\"action\":\"run\",\"args\":{");
	js_key_str(&out, "command", command);
	strbuf_add(&out, "}}");
	chat_messages_end_line(c, &out, "action");
}

static void on_skip(void *arg, const char *path, const char *why)
{
	struct chat *c = arg;

	event_view_remark(&c->show, YELLOW, "@%s is ignored: %s", path, why);
}

/* A message; `queue`: it does not interrupt a call. @return whether it was sent. */
static bool send_message(struct chat *c, const char *text, bool queue)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(MESSAGE_MAX);
	AUTO(strbuf) struct strbuf out = STRBUF(MESSAGE_MAX * 6 + 1024);
	int64_t number;

	strbuf_add(&whole, text);
	file_mention_complete(&whole, c->workspace, text, on_skip, c);
	if (whole.error) {
		event_view_remark(&c->show, RED,
				  "The message and its files are too long: at most "
				  "900 KiB.");
		return false;
	}
	if (!chat_reconnect(c))
		return false;
	chat_messages_begin_line(c, &out, "message");
	js_key_strn(&out, "text", whole.text, whole.len);
	if (queue)
		js_key_bool(&out, "queue", true);
	number = chat_messages_end_line(c, &out, "message");
	if (number < 0)
		return false;
	chat_messages_slot(c, number)->text = strdup(text);
	c->busy = true;
	c->interrupted = false;
	return true;
}

void chat_message(struct chat *c, const char *text)
{
	if (send_message(c, text, false))
		c->began = clock_ms();
}

static const char trigger[] = "trigger";

void chat_try_trigger(struct chat *c, const char *text)
{
	int64_t number = chat_reconnect(c)
				 ? chat_messages_send_line(c, "skills", NULL, NULL, 0)
				 : -1;

	if (number < 0)
		return;
	chat_messages_slot(c, number)->what = trigger;
	chat_messages_slot(c, number)->text = strdup(text);
}

void chat_say(struct chat *c, const char *text)
{
	if (!c->busy) {
		chat_message(c, text);
	} else if (c->queued == QUEUE_MAX) {
		event_view_remark(&c->show, YELLOW, "%d messages are already queued.",
				  QUEUE_MAX);
	} else if (send_message(c, text, true) && (c->queue[c->queued] = strdup(text))) {
		c->queued++;
		if (c->term.plain)
			event_view_remark(&c->show, DIM, "Queued: %s", text);
	}
}

/* The oldest queued message has reached the agent. */
static void drop_delivered(struct chat *c, json_object *event)
{
	if (!c->queued || strcmp(js_str(event, "source", ""), "user") != 0 ||
	    strcmp(js_str(event, "action", ""), "message") != 0)
		return;
	free(c->queue[0]);
	memmove(c->queue, c->queue + 1, --c->queued * sizeof *c->queue);
}

/* ---- in ---------------------------------------------------------------- */

static void on_status(struct chat *c, json_object *line)
{
	event_view_remark(&c->show, PLAIN,
			  "conversation  %s\nworkspace     %s\nstate         %s%s%s\n"
			  "steps         %lld\nevents        %lld\nprocess       %lld",
			  js_str(line, "conversation", ""), js_str(line, "workspace", ""),
			  js_str(line, "state", ""),
			  *js_str(line, "reason", "") ? ": " : "",
			  js_str(line, "reason", ""), (long long)js_int(line, "steps", 0),
			  (long long)js_int(line, "events", 0),
			  (long long)js_int(line, "pid", 0));
	if (*c->show.model)
		event_view_remark(&c->show, PLAIN, "model         %s", c->show.model);
}

static bool is_quiet(const char *what)
{
	static const char *const names[] = { "subscribe", "message", "pause",
					     "resume",    "confirm", "reject",
					     "stop",      "keep_alive",  "action",
					     "condense",  "recover",
					     "answer",    "interrupt", "withdraw",
					     "btw" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], what) == 0)
			return true;
	return false;
}

static void chat_messages_on_refused(struct chat *c, const struct asked *a,
				     const char *error)
{
	if (strncmp(error, "unknown command", 15) == 0)
		event_view_remark(&c->show, YELLOW,
				  "This conversation does not support /%s.", a->what);
	else
		event_view_remark(&c->show, RED, "%s", error);
	if (strcmp(a->what, "confirm") == 0 || strcmp(a->what, "reject") == 0)
		answer_refused(c);
	if (a->text && c->queued) /* it was the newest */
		free(c->queue[--c->queued]);
	if (a->text) { /* keep what the user typed */
		history_add(&c->history, a->text);
		event_view_remark(&c->show, DIM,
				  "The message was not sent; arrow up recalls it.");
		c->busy = chat_in_state(c, "running");
	}
}

/* The message that is undone can be changed and sent again. */
static void chat_messages_on_undone(struct chat *c, const char *text, const char *files)
{
	event_view_remark(&c->show, DIM, "Reverted your last message.%s",
			  *files ? "" : " No files were restored.");
	if (*files)
		event_view_remark(&c->show, PLAIN, "%s", files);
	if (c->mode == MODE_TYPE && c->line.text.len == 0)
		line_editor_insert(&c->line, text, file_mention_typed(text));
}

/* Handle the result of a command that this client sent. */
static void messages_on_done(struct chat *c, const struct asked *a, json_object *line)
{
	const char *text = js_str(line, "text", "");

	if (strcmp(a->what, "status") == 0)
		on_status(c, line);
	else if (strcmp(a->what, "undo") == 0)
		chat_messages_on_undone(c, text, js_str(line, "files", ""));
	else if (*text)
		event_view_remark(&c->show, PLAIN, "%s", text);
	else if (!is_quiet(a->what))
		event_view_remark(&c->show, DIM, "%s: done", a->what);
}

static void messages_on_result(struct chat *c, json_object *line)
{
	int64_t id = js_int(line, "id", -1);
	struct asked *a;

	if (id < 0 || id >= c->sent || c->sent - id > ASKED_MAX)
		return;
	a = chat_messages_slot(c, id);
	if (!a->what)
		return;
	c->answered++;
	c->again = false;
	if (a->what == trigger) {
		AUTO(free) char *typed = a->text;

		*a = (struct asked){ 0 };
		if (typed)
			chat_trigger(c, typed, js_str(line, "text", ""));
		return;
	}
	if (js_bool(line, "ok", false))
		messages_on_done(c, a, line);
	else
		chat_messages_on_refused(c, a,
					 js_str(line, "error", "the command failed"));
	free(a->text);
	*a = (struct asked){ 0 };
}

static bool chat_messages_works(const char *state)
{
	static const char *const names[] = { "running", "rate_limited", "user_confirmed",
					     "user_rejected" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(state, names[i]) == 0)
			return true;
	return false;
}

static void on_rest(struct chat *c)
{
	bool why = *c->reason && strcmp(c->reason, "paused by the user") != 0;

	event_view_rest(&c->show);
	if (chat_in_state(c, "error") || chat_in_state(c, "rejected"))
		event_view_remark(&c->show, RED, "%s%s%s", c->state,
				  *c->reason ? ": " : "", c->reason);
	else if (chat_in_state(c, "paused"))
		event_view_remark(
			&c->show, YELLOW,
			"Paused%s%s. Press Enter or send a message to continue%s.",
			why ? ": " : "", why ? c->reason : "",
			c->interrupted ? "; Ctrl-C again exits" : "");
}

/* Show the question of a subagent that runs in parallel. @return whether one is open. */
static bool ask_for_delegate(struct chat *c, json_object *asks)
{
	bool list = json_object_is_type(asks, json_type_array);
	size_t count = list ? json_object_array_length(asks) : 0;
	json_object *first = count ? json_object_array_get_idx(asks, 0) : NULL;

	if (!first)
		return false;
	/* Do not replace a question that the user is reading. */
	for (size_t i = 0; i < count; i++) {
		json_object *ask = json_object_array_get_idx(asks, i);

		if (answer_is_open(c, ask, js_str(ask, "conversation", "")))
			return true;
	}
	answer_open(c, first, js_get(first, "event"), js_str(first, "conversation", ""));
	return true;
}

static void chat_messages_on_state(struct chat *c, json_object *line)
{
	bool worked = c->busy;

	c->show.replaying = c->settling = false;
	snprintf(c->state, sizeof c->state, "%s", js_str(line, "state", ""));
	snprintf(c->reason, sizeof c->reason, "%s", js_str(line, "reason", ""));
	c->busy = chat_messages_works(c->state);
	if (c->busy && !worked) {
		c->began = clock_ms();
		c->interrupted = false;
	}
	if (chat_in_state(c, "awaiting_user_confirmation")) {
		answer_open(c, js_get(line, "waits"), c->show.call, "");
		return;
	}
	if (ask_for_delegate(c, js_get(line, "asks")))
		return;
	answer_close(c);
	if (c->busy || chat_in_state(c, "loading"))
		return;
	c->settling = worked && chat_in_state(c, "paused") && c->show.action >= 0;
	if (!c->settling)
		on_rest(c);
	c->interrupted = c->interrupted && chat_in_state(c, "paused");
	if (worked)
		chat_notify(c, "the agent is idle");
}

/* The result of the interrupted action has arrived: report the idle state after it. */
static void chat_messages_settle(struct chat *c)
{
	if (!c->settling || c->show.action >= 0)
		return;
	c->settling = false;
	on_rest(c);
}

static void chat_messages_on_questions(struct chat *c, json_object *open)
{
	size_t n = js_length(open);
	json_object *q = n ? json_object_array_get_idx(open, 0) : NULL;
	const char *text;
	size_t len;

	if (js_int(q, "question", 0) == c->question)
		return;
	json_object_put(c->choices_of_question);
	c->question = js_int(q, "question", 0);
	c->choices_of_question = json_object_get(js_get(q, "choices"));
	if (!q) {
		if (c->mode == MODE_TOOL)
			chat_set_mode(c, c->asks.open ? MODE_ANSWER : MODE_TYPE);
		return;
	}
	text = action_text(q, "text", &len);
	event_view_ask(&c->show, text, len, c->choices_of_question);
	c->asked_at = 0;
	line_editor_set(&c->line, c->mode == MODE_TOOL ? "" : c->line.text.text);
	chat_set_mode(c, MODE_TOOL);
	chat_notify(c, "a tool is waiting for your answer");
}

static void chat_messages_on_end(struct chat *c, json_object *line)
{
	c->ended = true;
	snprintf(c->state, sizeof c->state, "%s", js_str(line, "state", ""));
}

void chat_on_line(void *arg, json_object *line)
{
	struct chat *c = arg;
	const char *type = js_str(line, "type", NULL);
	size_t before = c->show.out.len;

	c->spin++;
	if (!type) {
		event_view_event(&c->show, line);
		drop_delivered(c, line);
		c->last_event = js_int(line, "id", c->last_event);
		chat_messages_settle(c);
	} else if (strcmp(type, "state") == 0)
		chat_messages_on_state(c, line);
	else if (strcmp(type, "result") == 0) {
		messages_on_result(c, line);
		answer_again(c, before);
	} else if (strcmp(type, "questions") == 0)
		chat_messages_on_questions(c, js_get(line, "open"));
	else if (strcmp(type, "end") == 0)
		chat_messages_on_end(c, line);
	else
		event_view_live(&c->show, line);
}
