/* SPDX-License-Identifier: MIT
 *
 * chat.c - starts, resumes and leaves conversations; event loop and signals. */
#include "chat.h"

#include "clock.h"
#include "files.h"

#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN_AGAIN = 200, LINES_MAX = 1 << 20, SETTLE_MS = 40, OUTPUT_MAX = 1 << 20,
       CHANGE_MS = 10000, WAITS_CODE = 8 };

/* ---- signals ----------------------------------------------------------- */

static int signal_pipe[2] = { -1, -1 };

static void on_signal(int number)
{
	int saved = errno;
	unsigned char byte = (unsigned char)number;
	ssize_t n = write(signal_pipe[1], &byte, 1);

	(void)n;
	errno = saved;
}

static int watch_signals(struct error *err)
{
	static const int numbers[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT,
				       SIGCHLD,  SIGCONT };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(err, MT_EIO, "no pipe: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		sigaction(numbers[i], &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	return MT_OK;
}

static void come_back(struct chat *c)
{
	struct error err = ERROR_NONE;

	if (c->term.plain)
		return;
	c->term.raw = false;
	live_region_done(&c->area);
	live_region_init(&c->area, c->term.columns);
	if (tty_raw(&c->term, &err))
		c->quit = true;
}

static void take_signal(struct chat *c, int number)
{
	switch (number) {
	case SIGWINCH:
		chat_resize(c);
		break;
	case SIGCHLD:
		process_reap(&c->child);
		break;
	case SIGINT:
		chat_interrupt(c);
		break;
	case SIGCONT:
		come_back(c);
		break;
	default:
		c->quit = true;
		c->code = 128 + number;
		break;
	}
}

static void take_signals(struct chat *c)
{
	unsigned char bytes[32];
	ssize_t n = read(signal_pipe[0], bytes, sizeof bytes);

	for (ssize_t i = 0; i < n; i++)
		take_signal(c, bytes[i]);
}

/* ---- connecting -------------------------------------------------------- */

static void subscribe(struct chat *c, int64_t since)
{
	AUTO(strbuf) struct strbuf out = STRBUF(256);

	c->answered = c->sent; /* requests to another process get no response */
	event_view_reconnect(&c->show, js_bool(c->link.hello, "busy", false));
	strbuf_addf(&out, "{\"type\":\"subscribe\",\"live\":true,\"since\":%lld}",
		    (long long)since);
	connection_send(&c->link, out.text, out.len);
}

static int connect_to(struct chat *c, const char *id, struct error *err)
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

/* Who has it open already, by the beginning of its id. */
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
			    "%zu open conversations match; use more characters of the id (`mortise ps` lists them)",
			    found)
		     : fail(err, MT_ENOTFOUND,
			    "no such conversation is open; `mortise --resume` resumes one");
}

static int open_conversation(struct chat *c, const char *id, struct error *err)
{
	char found[CHILD_ID_MAX];

	if (c->o->attach) {
		if (find_open(id ? id : "", found, err))
			return err->code;
		return connect_to(c, found, err);
	}
	if (id && connect_to(c, id, &(struct error){ 0 }) == MT_OK)
		return MT_OK;
	if (start_process(c, id, err))
		return err->code;
	return connect_to(c, c->child.id, err);
}

static void disconnect(struct connection *l, struct process *ch)
{
	connection_close(l);
	process_release(ch);
}

/* Forget the conversation that was shown. */
static void forget(struct chat *c)
{
	for (size_t i = 0; i < c->queued; i++)
		free(c->queue[i]);
	c->queued = 0;
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

/* Open another conversation. If that fails, the one that is open stays so. */
static int exchange(struct chat *c, const char *id, struct error *err)
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

static void greet(struct chat *c, int64_t since)
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
		drop_change(c); /* they were meant for the other one */
	if (exchange(c, copy, &err)) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return false;
	}
	forget(c);
	events = js_int(c->link.hello, "events", 0);
	since = events > SHOWN_AGAIN ? events - SHOWN_AGAIN - 1 : -1;
	c->last_event = since;
	c->show.replaying = true;
	greet(c, since);
	subscribe(c, since);
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
	if (connect_to(c, c->id, &(struct error){ 0 }) &&
	    (start_process(c, c->id, &err) || connect_to(c, c->id, &err))) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return false;
	}
	c->show.replaying = true;
	subscribe(c, c->last_event);
	return true;
}

/* The process exits when this client leaves, unless other clients are connected. */
static bool wait_for_end(struct chat *c, pid_t pid)
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
	    !wait_for_end(c, (pid_t)js_int(c->link.hello, "pid", 0))) {
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

/* What was said while the process was about to end did not arrive: it goes to the
 * next one, but only once. */
static void say_again(struct chat *c)
{
	size_t lost = 0;

	for (int64_t n = c->answered; c->ended && n < c->sent; n++) {
		struct asked *a = &c->asked[n % ASKED_MAX];

		if (!a->text || c->queued == QUEUE_MAX)
			continue;
		memmove(c->queue + lost + 1, c->queue + lost,
			(c->queued - lost) * sizeof *c->queue);
		c->queue[lost++] = a->text;
		c->queued++;
		*a = (struct asked){ 0 };
	}
	c->answered = c->sent;
	if (!lost || c->again || c->quit)
		return;
	c->again = true;
	chat_send_queue(c);
}

/* Does the process of the conversation still answer? */
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
				  "still runs; Enter or a message connects again.");
	else
		event_view_remark(
			&c->show, RED,
			"The conversation's process is gone. Nothing "
			"that you saw is lost; Enter or a message takes it up again.");
}

static void lose(struct chat *c)
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

/* ---- input ------------------------------------------------------------- */

static void take_typed_line(struct chat *c, char *line)
{
	struct line_editor *l = &c->line;

	line_editor_insert(l, line, strlen(line));
	if (line_editor_continues(l)) {
		line_editor_insert(l, "\n", 1);
		return;
	}
	c->midline = false;
	chat_on_key(c, KEY_ENTER, "", 0);
}

bool chat_is_idle(const struct chat *c)
{
	bool asked = c->mode == MODE_ANSWER || c->mode == MODE_TOOL;

	return ((!c->busy && !c->settling) || asked) && !c->show.replaying &&
	       c->answered == c->sent;
}

/* Lines of a file are sent one per turn; an interactive user may type ahead. A
 * question is shown before a line is read as its answer. */
static bool takes_lines(const struct chat *c)
{
	if (c->mode == MODE_ANSWER && !c->asks.drawn)
		return false;
	return !c->quit && (c->typing || chat_is_idle(c));
}

/* In interactive use, a line typed before the question could be read is not an answer. */
static void take_answer(struct chat *c, const char *line)
{
	c->midline = false;
	if (c->typing && !answer_ready(c))
		event_view_remark(
			&c->show, YELLOW,
			"`%s` was typed before the question appeared and is ignored.",
			line);
	else
		chat_submit(c, line);
}

/* Plain: the terminal edits the lines. */
static void take_lines(struct chat *c)
{
	char *end;

	while (takes_lines(c) && (end = strchr(c->typed_lines.text, '\n'))) {
		size_t n = (size_t)(end - c->typed_lines.text);

		*end = '\0';
		if (c->mode == MODE_ANSWER) {
			take_answer(c, c->typed_lines.text);
		} else {
			take_typed_line(c, c->typed_lines.text);
		}
		strbuf_consume(&c->typed_lines, n + 1);
	}
	if (c->typed_lines.error)
		strbuf_reset(&c->typed_lines);
}

/* The last line may lack its end. */
static void end_input(struct chat *c)
{
	if (c->typed_lines.len && c->typed_lines.text[c->typed_lines.len - 1] != '\n')
		strbuf_addc(&c->typed_lines, '\n');
	c->input_over = true;
}

/* No more lines come: it is over when all were taken and nothing works. What waits
 * for an answer waits on. */
static void leave_at_end(struct chat *c)
{
	if (!c->input_over || c->typed_lines.len || !chat_is_idle(c))
		return;
	if (c->mode == MODE_ANSWER)
		c->code = WAITS_CODE;
	c->quit = true;
}

static void read_keys(struct chat *c)
{
	char bytes[4096];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && c->term.plain)
		strbuf_addn(&c->typed_lines, bytes, (size_t)n);
	else if (n > 0)
		keys_feed(&c->keys, bytes, (size_t)n);
	else if (c->term.plain && !c->typing)
		end_input(c);
	else
		c->quit = true;
}

/* A line of the log without its time. */
static const char *without_time(const char *line)
{
	size_t n = strspn(line, "0123456789-:.TZ");

	return n > 20 && line[n - 1] == 'Z' && line[n] == ' ' ? line + n + 1 : line;
}

/* Whole lines of what the conversation's process says to people. */
static void show_complaints(struct chat *c)
{
	char *end;

	while ((end = memchr(c->complaints.text, '\n', c->complaints.len))) {
		*end = '\0';
		event_view_remark(&c->show, YELLOW, "%s",
				  without_time(c->complaints.text));
		strbuf_consume(&c->complaints, (size_t)(end - c->complaints.text) + 1);
	}
	if (c->complaints.error)
		strbuf_reset(&c->complaints);
}

static void read_complaints(struct chat *c)
{
	char bytes[4096];
	ssize_t n = 1;

	while (n > 0 && c->child.errors >= 0) {
		n = read(c->child.errors, bytes, sizeof bytes);
		if (n > 0) {
			strbuf_addn(&c->complaints, bytes, (size_t)n);
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			close(c->child.errors);
			c->child.errors = -1;
		}
	}
}

/* What comes by standard error has no place among the events that come by the socket.
 * It is shown when the agent has come to rest: all of it is here then. */
static void take_complaints(struct chat *c)
{
	if (!chat_is_idle(c))
		return;
	read_complaints(c);
	show_complaints(c);
}

/* ---- the loop ---------------------------------------------------------- */

static int wait_ms(const struct chat *c)
{
	int64_t left = 1000 - (clock_ms() - c->began) % 1000;
	int answer = answer_wait(c);

	if (keys_waiting(&c->keys))
		return SETTLE_MS;
	if (c->term.plain && takes_lines(c) && strchr(c->typed_lines.text, '\n'))
		return 0;
	if (answer >= 0)
		return answer;
	if (c->mode == MODE_TOOL && !chat_tool_ready(c))
		return READ_MS;
	return c->busy && !c->term.plain ? (int)left : -1;
}

static bool reads(const struct chat *c)
{
	return !c->input_over && (takes_lines(c) || !c->term.plain);
}

static void turn(struct chat *c)
{
	enum { INPUT, SIGNALS, LINK, ERRORS, COUNT };
	struct pollfd fds[COUNT] = {
		[INPUT] = { .fd = reads(c) ? STDIN_FILENO : -1, .events = POLLIN },
		[SIGNALS] = { .fd = signal_pipe[0], .events = POLLIN },
		[LINK] = { .fd = c->link.fd, .events = connection_wants(&c->link) },
		[ERRORS] = { .fd = c->child.errors, .events = POLLIN },
	};
	int n = poll(fds, COUNT, wait_ms(c));

	if (n == 0)
		keys_settle(&c->keys);
	answer_tick(c);
	if (n < 0)
		return;
	if (fds[SIGNALS].revents)
		take_signals(c);
	if (fds[LINK].revents && c->link.fd >= 0)
		connection_serve(&c->link, fds[LINK].revents);
	if (fds[ERRORS].revents)
		read_complaints(c);
	take_complaints(c);
	if (fds[INPUT].revents)
		read_keys(c);
	if (c->link.fd >= 0 && c->link.over)
		lose(c);
	take_lines(c);
	leave_at_end(c);
}

static void loop(struct chat *c)
{
	while (!c->quit) {
		chat_draw(c);
		turn(c);
	}
	/* What was said last goes out. */
	for (int i = 0; i < 100 && c->link.fd >= 0 && c->link.out.len && !c->link.over;
	     i++) {
		struct pollfd fd = { .fd = c->link.fd,
				     .events = connection_wants(&c->link) };

		if (poll(&fd, 1, 20) > 0)
			connection_serve(&c->link, fd.revents);
	}
}

static void print_exit_hint(struct chat *c)
{
	if (c->code >= 128 || !*c->id)
		return;
	if (c->detached || (c->busy && connection_is_open(&c->link)))
		event_view_remark(&c->show, DIM, "%s To return, run: mortise attach %s",
				  c->detached ? "The conversation stays open."
					      : "The agent continues.",
				  c->id);
	else if (c->last_event >= 0)
		event_view_remark(&c->show, DIM, "To return, run: mortise --resume %s",
				  c->id);
}

/* ---- the program ------------------------------------------------------- */

static void open_history(struct chat *c)
{
	AUTO(free) char *dir = NULL, *path = NULL;

	if (!c->term.plain && xdg_dir("STATE", true, &dir, NULL) == MT_OK)
		path = path_join(dir, "history");
	history_open(&c->history, path);
}

static void init(struct chat *c, const struct options *o)
{
	struct style style = { 0 };

	c->o = o;
	c->child = CHILD_NONE;
	c->link = (struct connection){ .fd = -1,
				 .out = STRBUF(1),
				 .on_line = chat_on_line,
				 .arg = c };
	tty_init(&c->term, o->plain);
	c->typing = isatty(STDIN_FILENO);
	style.attributes = !c->term.plain;
	style.color = c->term.color;
	style.columns = c->term.columns;
	live_region_init(&c->area, c->term.columns);
	keys_init(&c->keys, chat_on_key, c);
	line_editor_init(&c->line);
	event_view_init(&c->show, &style);
	c->aside = STRBUF(LINE_MAX_BYTES);
	c->search = STRBUF(1024);
	c->typed_lines = STRBUF(LINES_MAX);
	c->complaints = STRBUF(LINES_MAX);
	c->found = -1;
	c->last_event = -1;
	c->focused = true;
	open_history(c);
}

static void done(struct chat *c)
{
	disconnect(&c->link, &c->child);
	forget(c);
	for (size_t i = 0; i < ASKED_MAX; i++)
		free(c->asked[i].text);
	for (size_t i = 0; i < c->choice_count; i++)
		free(c->choices[i]);
	free(c->choices);
	json_object_put(c->choices_of_question);
	while (c->change_count)
		drop_change(c);
	live_region_done(&c->area);
	keys_done(&c->keys);
	line_editor_done(&c->line);
	history_done(&c->history);
	event_view_done(&c->show);
	strbuf_clear(&c->aside);
	strbuf_clear(&c->search);
	strbuf_clear(&c->typed_lines);
	strbuf_clear(&c->complaints);
}

static int talk(struct chat *c)
{
	if (c->o->message)
		chat_say(c, c->o->message);
	if (c->o->pick)
		chat_list_conversations(c);
	loop(c);
	print_exit_hint(c);
	if (c->term.plain)
		chat_draw(c);
	else
		chat_erase(c);
	tty_restore(&c->term);
	return c->code;
}

/* Why there is no conversation: what was to be shown, behind the program's name. */
static void print_start_error(struct chat *c)
{
	AUTO(strbuf) struct strbuf line = STRBUF(64 << 10), rows = STRBUF(64 << 10);
	struct style style = c->show.style;

	style.color = false;
	strbuf_addf(&line, "mortise: %s", c->show.out.text);
	for (size_t i = 0; i < line.len; i++)
		if (line.text[i] == '\n')
			line.text[i] = i + 1 < line.len ? ' ' : '\n';
	style_words(&rows, &style, PLAIN, line.text, line.len);
	fputs(rows.text, stderr);
}

int chat_run(const struct options *o)
{
	struct chat *c = calloc(1, sizeof *c);
	struct error err = ERROR_NONE;
	int code = 2;

	if (!c)
		return 1;
	init(c, o);
	if (watch_signals(&err) || tty_raw(&c->term, &err)) {
		fprintf(stderr, "mortise: %s\n", err.text);
	} else if (o->pick || chat_begin(c, o->id)) {
		code = talk(c);
	} else {
		tty_restore(&c->term);
		print_start_error(c);
	}
	tty_restore(&c->term);
	done(c);
	free(c);
	return code;
}
