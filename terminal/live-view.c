/* SPDX-License-Identifier: MIT
 *
 * live-view.c - composes the live rows: the streamed reply, output of running
 * commands, the state, queued messages, the prompt. */
#include "chat.h"

#include "clock.h"
#include "prompt.h"

#include <string.h>

enum { OUT_MAX = 72 << 20, TAIL_ROWS = 5, QUEUE_ROWS = 3 };

/* ---- the rows ---------------------------------------------------------- */

static void add_painted(struct chat *c, enum paint p, const char *lead, const char *text,
			size_t len)
{
	AUTO(strbuf) struct strbuf row = STRBUF(AREA_ROW_BYTES);
	size_t room = c->term.columns > 1 ? c->term.columns - 1 : 1;
	size_t wide = text_width(lead, strlen(lead));

	room = room > wide ? room - wide : 1;
	style_begin(&row, &c->show.style, p);
	strbuf_add(&row, lead);
	strbuf_addn(&row, text, text_fit(text, len, room));
	style_end(&row, &c->show.style, p);
	live_region_add(&c->area, row.text, row.len);
}

/* Bytes to the next row, of a line whose first row has `fit` bytes. */
static size_t next_row(const char *line, size_t len, size_t fit)
{
	return fit < len ? fit + (line[fit] == ' ') : len + 1;
}

/* Where the last `rows` rows of a text begin, wrapped at that many columns. */
static size_t last_rows(const char *text, size_t len, size_t columns, size_t rows)
{
	size_t starts[AREA_ROWS_MAX] = { 0 }, count = 0;

	for (size_t at = 0; at < len; count++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;
		size_t fit = text_fit_words(text + at, line, columns);

		starts[count % rows] = at;
		at += next_row(text + at, line, fit);
	}
	return count > rows ? starts[count % rows] : 0;
}

static void add_last(struct chat *c, enum paint p, const char *lead, const char *text,
		     size_t len, size_t rows)
{
	size_t columns = c->term.columns > 6 ? c->term.columns - 5 : 2;

	for (size_t at = last_rows(text, len, columns, rows); at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;
		size_t fit = text_fit_words(text + at, line, columns);

		add_painted(c, p, lead, text + at, fit);
		at += next_row(text + at, line, fit);
	}
}

static void add_stream(struct chat *c)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	const struct markdown *m = &c->show.reply;
	size_t rows = c->term.rows / 3;

	strbuf_addn(&text, m->block.text, m->block.len);
	strbuf_addn(&text, m->line.text, m->line.len);
	if (text.len)
		add_last(c, PLAIN, m->fence ? "    " : "", text.text, text.len,
			 rows > 3 ? rows : 3);
}

static void live_view_add_state(struct chat *c)
{
	static const char spinner[] = "|/-\\";
	AUTO(strbuf) struct strbuf text = STRBUF(AREA_ROW_BYTES);
	int64_t seconds = (clock_ms() - c->began) / 1000;

	if (!c->busy && !c->settling && c->show.action < 0)
		return;
	strbuf_addf(&text, "%c ", spinner[c->spin % 4]);
	if (c->interrupted || c->settling)
		strbuf_add(&text, "pausing; Ctrl-C again exits");
	else if (chat_in_state(c, "rate_limited"))
		strbuf_add(&text, "waiting for the model");
	else
		strbuf_add(&text, c->show.action >= 0 ? "running" : "working");
	if (seconds > 0)
		strbuf_addf(&text, " %lld s", (long long)seconds);
	if (c->show.action >= 0)
		strbuf_addf(&text, ": %.*s",
			    (int)text_fit(c->show.doing.text, c->show.doing.len, 400),
			    c->show.doing.text);
	add_painted(c, DIM, "", text.text, text.len);
}

static void add_queue(struct chat *c)
{
	for (size_t i = 0; i < c->queued && i < QUEUE_ROWS; i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(MESSAGE_MAX);

		text_clean_line(&text, c->queue[i], strlen(c->queue[i]));
		add_painted(c, CYAN, "queued: ", text.text, text.len);
	}
	if (c->queued > QUEUE_ROWS) {
		char text[64];

		snprintf(text, sizeof text, "and %zu more", c->queued - QUEUE_ROWS);
		add_painted(c, CYAN, "queued: ", text, strlen(text));
	}
}

static const char *lead(const struct chat *c, struct strbuf *search)
{
	switch (c->mode) {
	case MODE_TOOL:
		return chat_tool_ready(c) ? "answer: " : "... ";
	case MODE_PICK:
		return "number: ";
	case MODE_SEARCH:
		strbuf_addf(search, "search `%s`: ", c->search.text);
		return search->text;
	case MODE_ANSWER:
		return answer_lead(c);
	case MODE_TYPE:
		break;
	}
	return "> ";
}

/* The rows that ask, and the line with the answer, which are always the last. */
static void live_view_add_question(struct chat *c)
{
	AUTO(strbuf) struct strbuf rows = STRBUF(1 << 20);

	answer_rows(c, &rows);
	for (size_t at = 0, n; at < rows.len; at += n + 1) {
		const char *end = memchr(rows.text + at, '\n', rows.len - at);

		n = end ? (size_t)(end - rows.text) - at : rows.len - at;
		live_region_add(&c->area, rows.text + at, n);
	}
}

static void add_prompt(struct chat *c)
{
	AUTO(strbuf) struct strbuf search = STRBUF(1024);
	size_t most = c->term.rows > 8 ? c->term.rows / 2 : 4;

	if (c->mode == MODE_ANSWER)
		live_view_add_question(c);
	prompt_add(&c->area, lead(c, &search), &c->line, most);
}

/* While a question is open nothing is printed below it: no text of a model or of a tool
 * comes between it and its answer. */
static bool is_held(const struct chat *c)
{
	return c->mode == MODE_ANSWER && c->asks.drawn && !c->quit;
}

/* ---- drawing ----------------------------------------------------------- */

static void write_out(struct chat *c, const struct strbuf *out)
{
	c->written += out->len;
	tty_write(out->text, out->len);
}

/* Lines only, and a prompt when it is the user's turn. */
static void draw_plain(struct chat *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUT_MAX), search = STRBUF(1024);
	bool turn = chat_is_idle(c) && !c->quit;

	if (c->show.out.len && c->midline)
		strbuf_addc(&out, '\n');
	if (c->show.out.len)
		c->midline = false;
	strbuf_addn(&out, c->show.out.text, c->show.out.len);
	strbuf_reset(&c->show.out);
	if (turn && !c->midline) {
		strbuf_add(&out, lead(c, &search));
		c->midline = true;
	}
	write_out(c, &out);
	answer_drawn(c);
}

void chat_draw(struct chat *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUT_MAX);

	if (c->term.plain) {
		draw_plain(c);
		return;
	}
	live_region_begin(&c->area);
	if (c->mode != MODE_ANSWER) {
		add_stream(c);
		if (c->show.tail.len)
			add_last(c, DIM, "  ", c->show.tail.text, c->show.tail.len,
				 TAIL_ROWS);
		live_view_add_state(c);
		add_queue(c);
	}
	add_prompt(c);
	live_region_trim(&c->area, c->term.rows > 2 ? c->term.rows - 1 : 1);
	live_region_draw(&c->area, &out, c->show.out.text,
			 is_held(c) ? 0 : c->show.out.len);
	if (!is_held(c))
		strbuf_reset(&c->show.out);
	write_out(c, &out);
	answer_drawn(c);
	if (c->mode == MODE_TOOL && !c->asked_at)
		c->asked_at = clock_ms();
}

void chat_erase(struct chat *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUT_MAX);

	if (c->term.plain)
		return;
	live_region_begin(&c->area);
	live_region_draw(&c->area, &out, c->show.out.text,
			 is_held(c) ? 0 : c->show.out.len);
	if (!is_held(c))
		strbuf_reset(&c->show.out);
	live_region_erase(&c->area, &out);
	write_out(c, &out);
}

void chat_resize(struct chat *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUT_MAX);

	if (!tty_measure(&c->term))
		return;
	c->show.style.columns = c->term.columns;
	if (c->term.plain)
		return;
	live_region_resize(&c->area, &out, c->term.columns);
	write_out(c, &out);
}

void chat_notify(struct chat *c, const char *what)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1024);
	const char *term = getenv("TERM");

	if (c->show.replaying || c->o->notify == NOTIFY_NEVER ||
	    (c->o->notify == NOTIFY_AUTO && c->focused))
		return;
	strbuf_addc(&out, '\a');
	if (!c->term.plain && term && strcmp(term, "linux") != 0)
		strbuf_addf(&out, "\033]9;Mortise: %s\a", what);
	write_out(c, &out);
}
