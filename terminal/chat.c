/* SPDX-License-Identifier: MIT
 *
 * chat.c - the program: its event loop and signals. */
#include "chat.h"

#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

enum { LINES_MAX = 1 << 20, SETTLE_MS = 40 };

/* ---- signals ----------------------------------------------------------- */

static int signal_pipe[2] = { -1, -1 };

static void chat_on_signal(int number)
{
	int saved = errno;
	unsigned char byte = (unsigned char)number;
	ssize_t n = write(signal_pipe[1], &byte, 1);

	(void)n;
	errno = saved;
}

static int chat_watch_signals(struct error *err)
{
	static const int numbers[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT,
				       SIGCHLD,  SIGCONT };
	struct sigaction act = { .sa_handler = chat_on_signal, .sa_flags = SA_RESTART };

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(err, MT_EIO, "cannot create a pipe: %s", strerror(errno));
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

static void chat_take_signals(struct chat *c)
{
	unsigned char bytes[32];
	ssize_t n = read(signal_pipe[0], bytes, sizeof bytes);

	for (ssize_t i = 0; i < n; i++)
		take_signal(c, bytes[i]);
}

/* ---- the loop ---------------------------------------------------------- */

static int chat_wait_ms(const struct chat *c)
{
	int64_t left = 1000 - (clock_ms() - c->began) % 1000;
	int answer = answer_wait(c);

	if (keys_waiting(&c->keys))
		return SETTLE_MS;
	if (c->term.plain && chat_takes_lines(c) && strchr(c->typed_lines.text, '\n'))
		return 0;
	if (answer >= 0)
		return answer;
	if (c->mode == MODE_TOOL && !chat_tool_ready(c))
		return READ_MS;
	return c->busy && !c->term.plain ? (int)left : -1;
}

static bool reads(const struct chat *c)
{
	return !c->input_over && (chat_takes_lines(c) || !c->term.plain);
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
	int n = poll(fds, COUNT, chat_wait_ms(c));

	if (n == 0)
		keys_settle(&c->keys);
	answer_tick(c);
	if (n < 0)
		return;
	if (fds[SIGNALS].revents)
		chat_take_signals(c);
	if (fds[LINK].revents && c->link.fd >= 0)
		connection_serve(&c->link, fds[LINK].revents);
	if (fds[ERRORS].revents)
		chat_read_complaints(c);
	chat_take_complaints(c);
	if (fds[INPUT].revents)
		chat_read_input(c);
	if (c->link.fd >= 0 && c->link.over)
		chat_lose(c);
	chat_take_lines(c);
	chat_leave_at_end(c);
}

static void chat_loop(struct chat *c)
{
	while (!c->quit) {
		chat_draw(c);
		turn(c);
	}
	/* Send the last messages. */
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

	if (!c->term.plain && paths_xdg_dir("STATE", true, &dir, NULL) == MT_OK)
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
	chat_disconnect(c);
	for (size_t i = 0; i < ASKED_MAX; i++)
		free(c->asked[i].text);
	for (size_t i = 0; i < c->choice_count; i++)
		free(c->choices[i]);
	free(c->choices);
	json_object_put(c->choices_of_question);
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
	chat_loop(c);
	print_exit_hint(c);
	if (c->term.plain)
		chat_draw(c);
	else
		chat_erase(c);
	tty_restore(&c->term);
	return c->code;
}

/* Report why no conversation could be started, after the program's name. */
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
	if (chat_watch_signals(&err) || tty_raw(&c->term, &err)) {
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
