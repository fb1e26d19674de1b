/* SPDX-License-Identifier: MIT
 *
 * line-cut.c - shortens output to its first and last lines. */
#include "line-cut.h"
#include "array.h"
#include "utf8.h"
#include <string.h>

struct line {
	const char *text;
	size_t len;   /* without its newline */
	size_t chars; /* including missing lines; those are counted in bytes */
	size_t gap;   /* position of the missing lines; 0: none are missing */
	bool partial; /* begins or ends at missing lines */
};

struct lines {
	struct line *list;
	size_t count, room;
	bool ends;  /* the last line ends in a newline */
	size_t total; /* including missing bytes */
};

/* Append a number with commas: 21,430. */
static int line_cut_number(struct strbuf *out, size_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%zu", n);

	for (int i = 0; i < len; i++) {
		strbuf_addc(out, digits[i]);
		if ((len - i - 1) % 3 == 0 && i + 1 < len)
			strbuf_addc(out, ',');
	}
	return out->error;
}

/* ---- lines ---------------------------------------------------------------------- */

static int line_cut_add_line(struct lines *l, const char *text, size_t len)
{
	if (ARRAY_GROW(l->list, &l->room, l->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	l->list[l->count++] = (struct line){ .text = text, .len = len,
					     .chars = utf8_count(text, len) };
	return MT_OK;
}

static int line_cut_split(const char *text, size_t len, struct lines *l)
{
	const char *end = text + len;

	l->ends = len && end[-1] == '\n';
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);

		if (line_cut_add_line(l, text, n))
			return MT_ENOMEM;
		text += n + (nl != NULL);
	}
	return MT_OK;
}

/* Lines that are missing separate two lines; otherwise one line lacks its middle. */
static int split_at_gap(const struct line_cut *c, struct lines *l)
{
	size_t first, same;

	if (!c->lost_bytes)
		return line_cut_split(c->text, c->len, l);
	if (!c->lost_lines) {
		if (line_cut_split(c->text, c->len, l))
			return MT_ENOMEM;
		for (size_t i = 0; i < l->count; i++) {
			size_t at = (size_t)(l->list[i].text - c->text);

			if (at > c->gap || at + l->list[i].len < c->gap)
				continue;
			l->list[i].gap = c->gap - at;
			l->list[i].chars += c->lost_bytes;
			break;
		}
		return MT_OK;
	}
	if (line_cut_split(c->text, c->gap, l))
		return MT_ENOMEM;
	first = l->count;
	same = first && !l->ends; /* the line that contains the first lost byte */
	if (same)
		l->list[first - 1].partial = true;
	if (line_cut_split(c->text + c->gap, c->len - c->gap, l))
		return MT_ENOMEM;
	if (first < l->count)
		l->list[first].partial = true;
	l->total = l->count + c->lost_lines - same;
	return MT_OK;
}

/* ---- output ---------------------------------------------------------------------- */

static bool line_cut_is_long(const struct line *line, size_t line_max)
{
	return line->chars > line_max || line->gap;
}

static size_t shown_chars(const struct line *line, size_t line_max)
{
	return (line_cut_is_long(line, line_max) ? line_max : line->chars) + 1;
}

/* The beginning and the end of a line. */
static void line_cut_put_line(const struct line *line, size_t line_max,
			      struct strbuf *out)
{
	size_t chars = utf8_count(line->text, line->len), head, tail;

	if (!line_cut_is_long(line, line_max)) {
		strbuf_addn(out, line->text, line->len);
		return;
	}
	head = utf8_offset(line->text, line->len, line_max / 2);
	tail = utf8_offset(line->text, line->len,
			   chars > line_max / 2 ? chars - line_max / 2 : 0);
	if (line->gap) {
		head = head < line->gap ? head : line->gap;
		tail = tail > line->gap ? tail : line->gap;
	}
	strbuf_addn(out, line->text, head);
	strbuf_add(out, " [");
	line_cut_number(out, line->chars - utf8_count(line->text, head) -
				     utf8_count(line->text + tail, line->len - tail));
	strbuf_add(out, " of ");
	line_cut_number(out, line->chars);
	strbuf_add(out, " characters omitted] ");
	strbuf_addn(out, line->text + tail, line->len - tail);
}

static void put_full(const char *full, struct strbuf *out)
{
	if (full && *full)
		strbuf_addf(out, "; full output: %s", full);
	strbuf_addc(out, ']');
}

static void put_omitted(size_t omitted, size_t total, const char *full,
			struct strbuf *out)
{
	strbuf_addc(out, '[');
	line_cut_number(out, omitted);
	strbuf_add(out, " of ");
	line_cut_number(out, total);
	strbuf_add(out, " lines omitted");
	put_full(full, out);
	strbuf_addc(out, '\n');
}

/* Number of lines from one end (`step` 1: the first, -1: the last) that fit into
 * `room`. */
static size_t line_cut_fitting(const struct lines *l, size_t at, int step, size_t most,
			       const struct line_cut *c, size_t room)
{
	size_t n = 0, used = 0;

	for (; n < most; n++, at += (size_t)step) {
		const struct line *line = &l->list[at];

		used += shown_chars(line, c->line_max);
		if (used > room || line->partial)
			break;
	}
	return n;
}

static void line_cut_put_lines(const struct lines *l, size_t from, size_t to,
			       size_t line_max, struct strbuf *out)
{
	for (size_t i = from; i < to; i++) {
		line_cut_put_line(&l->list[i], line_max, out);
		if (i + 1 < l->count || l->ends)
			strbuf_addc(out, '\n');
	}
}

static bool has_long(const struct lines *l, size_t line_max)
{
	for (size_t i = 0; i < l->count; i++)
		if (line_cut_is_long(&l->list[i], line_max))
			return true;
	return false;
}

int line_cut(const struct line_cut *c, struct strbuf *out, bool *ret_cut)
{
	struct lines l = { 0 };
	bool is_short =
		c->len <= c->chars_max || utf8_count(c->text, c->len) <= c->chars_max;
	bool cut_lines;
	size_t head, tail, total;
	const char *full;

	if (ret_cut)
		*ret_cut = false;
	if (split_at_gap(c, &l)) {
		free(l.list);
		return MT_ENOMEM;
	}
	cut_lines = has_long(&l, c->line_max);
	if (is_short && !c->lost_bytes && !cut_lines) {
		free(l.list);
		return strbuf_addn(out, c->text, c->len);
	}
	full = c->full ? c->full(c->arg) : NULL;
	total = l.total ? l.total : l.count;
	head = line_cut_fitting(&l, 0, 1, l.count, c, c->chars_max);
	if (head < l.count) {
		head = line_cut_fitting(&l, 0, 1, l.count, c, c->chars_max / 2);
		tail = line_cut_fitting(&l, l.count - 1, -1, l.count - head, c,
					c->chars_max / 2);
		line_cut_put_lines(&l, 0, head, c->line_max, out);
		put_omitted(total - head - tail, total, full, out);
		line_cut_put_lines(&l, l.count - tail, l.count, c->line_max, out);
	} else {
		line_cut_put_lines(&l, 0, l.count, c->line_max, out);
		if (!l.ends)
			strbuf_addc(out, '\n');
		strbuf_add(out, "[Long lines are cut");
		put_full(full, out);
	}
	free(l.list);
	if (ret_cut)
		*ret_cut = true;
	return out->error;
}
