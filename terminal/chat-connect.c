/* SPDX-License-Identifier: MIT
 *
 * chat-connect.c - starts, resumes, changes and leaves conversations. */
#include "chat.h"

#include "clock.h"

#include <config.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

enum { SHOWN_AGAIN = 200, OUTPUT_MAX = 1 << 20, CHANGE_MS = 10000 };

static void chat_connect_subscribe(struct chat *c, int64_t since)
{
	AUTO(strbuf) struct strbuf out = STRBUF(256);

	c->answered = c->sent; /* requests to another process get no response */
	event_view_reconnect(&c->show, js_bool(c->link.hello, "busy", false));
	strbuf_addf(&out, "{\"type\":\"subscribe\",\"live\":true,\"since\":%lld}",
		    (long long)since);
	connection_send(&c->link, out.text, out.len);
}

static int chat_connect_to(struct chat *c, const char *id, struct error *err)
{
	if (connection_open(&c->link, id, err))
		return err->code;
	c->ended = false;
	snprintf(c->id, sizeof c->id, "%s", js_str(c->link.hello, "conversation", ""));
	snprintf(c->workspace, sizeof c->workspace, "%s",
		 js_str(c->link.hello, "workspace", "."));
	snprintf(c->state, sizeof c->state, "%s", js_str(c->link.hello, "state", ""));
	return MT_OK;
}

/* The process of a new or resumed conversation. */
static int start_process(struct chat *c, const char *id, struct error *err)
{
	const char *args[COMMON_ARGS_MAX + CHANGES_MAX * 2 + 8];
	size_t n = 0;

	args[n++] = id ? "resume" : "run";
	args[n++] = "--listen";
	for (size_t i = 0; i < c->o->arg_count; i++)
		args[n++] = c->o->args[i];
	for (size_t i = 0; i < c->change_count; i++)
		args[n++] = c->changes[i];
	if (!id && c->o->controller) {
		args[n++] = "--controller";
		args[n++] = c->o->controller;
	}
	if (id)
		args[n++] = id;
	args[n] = NULL;
	process_release(&c->child);
	return process_start(&c->child, args, &c->complaints, err);
}

static bool add_change(struct chat *c, const char *flag, const char *value)
{
	char *copies[2] = { strdup(flag), strdup(value) };

	if (!copies[0] || !copies[1] || c->change_count == CHANGES_MAX * 2) {
		free(copies[0]);
		free(copies[1]);
		return false;
	}
	c->changes[c->change_count++] = copies[0];
	c->changes[c->change_count++] = copies[1];
	return true;
}

static void drop_change(struct chat *c)
{
	free(c->changes[--c->change_count]);
	free(c->changes[--c->change_count]);
}

/* Find the only open conversation whose id starts with `prefix`. */
static int find_open(const char *prefix, char ret[CHILD_ID_MAX], struct error *err)
{
	static const char *const args[] = { "ps", "--json", NULL };
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	size_t found = 0;

	if (process_output(args, &out, err))
		return err->code;
	for (char *line = out.text, *end; *line; line = end + (*end != '\0')) {
		AUTO(json) json_object *o = NULL;
		const char *id;

		end = line + strcspn(line, "\n");
		o = js_parse_object(line, (size_t)(end - line), NULL);
		id = js_str(o, "conversation", "");
		if (!*id || strncmp(id, prefix, strlen(prefix)) != 0)
			continue;
		found++;
		snprintf(ret, CHILD_ID_MAX, "%s", id);
	}
	if (found == 1)
		return MT_OK;
	return found ? fail(err, MT_EINVAL,
			    "%zu open conversations match; use more characters of the "
			    "id (`mortise ps` lists them)",
			    found)
		     : fail(err, MT_ENOTFOUND,
			    "no running conversation matches; `mortise --resume` resumes one");
}

static int open_conversation(struct chat *c, const char *id, struct error *err)
{
	char found[CHILD_ID_MAX];

	if (c->o->attach) {
		if (find_open(id ? id : "", found, err))
			return err->code;
		return chat_connect_to(c, found, err);
	}
	if (id && chat_connect_to(c, id, &(struct error){ 0 }) == MT_OK)
		return MT_OK;
	if (start_process(c, id, err))
		return err->code;
	return chat_connect_to(c, c->child.id, err);
}

static void disconnect(struct connection *l, struct process *ch)
{
	connection_close(l);
	process_release(ch);
}

static void drop_queue(struct chat *c)
{
	while (c->queued)
		free(c->queue[--c->queued]);
}

/* Discard the state of the conversation that was shown. */
static void chat_connect_forget(struct chat *c)
{
	drop_queue(c);
	c->answered = c->sent;
	c->show.replaying = false;
	c->busy = c->interrupted = c->settling = false;
	c->reason[0] = '\0';
	c->question = 0;
	answer_close(c);
	if (c->mode == MODE_TOOL)
		chat_set_mode(c, MODE_TYPE);
	event_view_reset(&c->show);
}

/* Open another conversation. If that fails, the current one stays open. */
static int chat_connect_exchange(struct chat *c, const char *id, struct error *err)
{
	struct connection link = c->link;
	struct process child = c->child;

	c->link = (struct connection){ .fd = -1,
				 .out = STRBUF(1),
				 .on_line = link.on_line,
				 .arg = link.arg };
	c->child = CHILD_NONE;
	if (open_conversation(c, id, err)) {
		disconnect(&c->link, &c->child);
		c->link = link;
		c->child = child;
		return err->code;
	}
	disconnect(&link, &child);
	return MT_OK;
}

static void chat_connect_greet(struct chat *c, int64_t since)
{
	const char *title = js_str(c->link.hello, "title", "");

	event_view_remark(&c->show, DIM,
			  "Mortise " VERSION ", conversation %s\nin %s%s%s", c->id,
			  c->workspace, *title ? ": " : "", title);
	if (since >= 0)
		event_view_remark(&c->show, DIM, "... %lld earlier events ...",
				  (long long)since + 1);
}

bool chat_begin(struct chat *c, const char *id)
{
	AUTO(free) char *copy = id ? strdup(id) : NULL;
	struct error err = ERROR_NONE;
	int64_t events, since;

	while (copy && c->change_count)
		drop_change(c); /* they were meant for the previous conversation */
	if (chat_connect_exchange(c, copy, &err)) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return false;
	}
	chat_connect_forget(c);
	events = js_int(c->link.hello, "events", 0);
	since = events > SHOWN_AGAIN ? events - SHOWN_AGAIN - 1 : -1;
	c->last_event = since;
	c->show.replaying = true;
	chat_connect_greet(c, since);
	chat_connect_subscribe(c, since);
	return true;
}

bool chat_reconnect(struct chat *c)
{
	struct error err = ERROR_NONE;

	if (connection_is_open(&c->link))
		return true;
	connection_close(&c->link);
	if (!*c->id)
		return chat_begin(c, NULL);
	if (chat_connect_to(c, c->id, &(struct error){ 0 }) &&
	    (start_process(c, c->id, &err) || chat_connect_to(c, c->id, &err))) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return false;
	}
	c->show.replaying = true;
	chat_connect_subscribe(c, c->last_event);
	return true;
}

/* The process exits when this client leaves, unless other clients are connected. */
static bool chat_connect_wait_for_end(struct chat *c, pid_t pid)
{
	int64_t end = clock_ms() + CHANGE_MS;

	connection_close(&c->link);
	process_release(&c->child);
	while (clock_ms() < end) {
		process_reap(&c->child);
		if (kill(pid, 0) < 0)
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

bool chat_change(struct chat *c, const char *flag, const char *value)
{
	struct error err = ERROR_NONE;
	bool good = true;

	if (c->busy) {
		event_view_remark(&c->show, YELLOW,
				  "The agent is working; press Ctrl-C first.");
		return false;
	}
	if (connection_is_open(&c->link) &&
	    !chat_connect_wait_for_end(c, (pid_t)js_int(c->link.hello, "pid", 0))) {
		event_view_remark(&c->show, YELLOW,
				  "Other clients are connected to this conversation.");
		return chat_reconnect(c) && false;
	}
	if (!add_change(c, flag, value))
		return false;
	if (start_process(c, c->id, &err)) {
		event_view_remark(&c->show, RED, "%s", err.text);
		drop_change(c);
		good = false;
	}
	return chat_reconnect(c) && good;
}

/* Messages sent while the process was exiting did not arrive: sends them to the next
 * process, but only once. */
static void say_again(struct chat *c)
{
	AUTO(strbuf) struct strbuf lost = STRBUF(MESSAGE_MAX);

	for (int64_t n = c->answered; c->ended && n < c->sent; n++) {
		struct asked *a = &c->asked[n % ASKED_MAX];

		if (!a->text)
			continue;
		strbuf_addf(&lost, "%s%s", lost.len ? "\n\n" : "", a->text);
		free(a->text);
		*a = (struct asked){ 0 };
	}
	c->answered = c->sent;
	drop_queue(c); /* the next process has the messages that arrived */
	if (!lost.len || lost.error)
		return;
	if (c->again || c->quit) {
		history_add(&c->history, lost.text);
		return;
	}
	c->again = true;
	chat_message(c, lost.text);
}

/* True if the process of the conversation still responds. */
static bool is_reachable(const struct chat *c)
{
	struct connection probe = { .fd = -1 };
	struct error err = ERROR_NONE;

	if (connection_open(&probe, c->id, &err))
		return false;
	connection_close(&probe);
	return true;
}

static void tell_loss(struct chat *c)
{
	if (c->ended)
		event_view_remark(&c->show, DIM,
				  "The conversation's process has ended (%s). "
				  "Your next message resumes it.",
				  c->state);
	else if (is_reachable(c))
		event_view_remark(&c->show, RED,
				  "The connection was lost. The conversation's process "
				  "is still running; press Enter or send a message to "
				  "reconnect.");
	else
		event_view_remark(
			&c->show, RED,
			"The conversation's process has exited. No event was lost; "
			"press Enter or send a message to resume.");
}

void chat_lose(struct chat *c)
{
	connection_close(&c->link);
	event_view_disconnect(&c->show);
	c->show.replaying = false;
	c->busy = c->interrupted = c->settling = false;
	c->question = 0;
	answer_close(c);
	if (c->mode == MODE_TOOL)
		chat_set_mode(c, MODE_TYPE);
	if (c->quit)
		return;
	tell_loss(c);
	chat_notify(c, "the conversation ended");
	say_again(c);
}

void chat_disconnect(struct chat *c)
{
	disconnect(&c->link, &c->child);
	chat_connect_forget(c);
	while (c->change_count)
		drop_change(c);
}
