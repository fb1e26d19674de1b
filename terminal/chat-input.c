/* SPDX-License-Identifier: MIT
 *
 * chat-input.c - reads keys and lines of standard input, and the standard error of the
 * conversation's process. */
#include "chat.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { WAITS_CODE = 8 };

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

bool chat_takes_lines(const struct chat *c)
{
	if (c->mode == MODE_ANSWER && !c->asks.drawn)
		return false;
	return !c->quit && (c->typing || chat_is_idle(c));
}

/* In interactive use, a line typed before the question could be read is not an answer. */
static void chat_input_take_answer(struct chat *c, const char *line)
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
void chat_take_lines(struct chat *c)
{
	char *end;

	while (chat_takes_lines(c) && (end = strchr(c->typed_lines.text, '\n'))) {
		size_t n = (size_t)(end - c->typed_lines.text);

		*end = '\0';
		if (c->mode == MODE_ANSWER) {
			chat_input_take_answer(c, c->typed_lines.text);
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

void chat_leave_at_end(struct chat *c)
{
	if (!c->input_over || c->typed_lines.len || !chat_is_idle(c))
		return;
	if (c->mode == MODE_ANSWER)
		c->code = WAITS_CODE;
	c->quit = true;
}

void chat_read_input(struct chat *c)
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

/* Show whole lines from the standard error of the conversation's process. */
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

void chat_read_complaints(struct chat *c)
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

/* Lines on standard error have no position among the events from the socket. They are
 * shown when the agent is idle, because they are complete then. */
void chat_take_complaints(struct chat *c)
{
	if (!chat_is_idle(c))
		return;
	chat_read_complaints(c);
	show_complaints(c);
}
