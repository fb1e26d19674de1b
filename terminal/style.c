/* SPDX-License-Identifier: MIT
 *
 * style.c - styled lines, diffs, shortened results. */
#include "style.h"

#include "text.h"
#include "visible.h"

#include <string.h>

enum {
	CLEAN_MAX = 16 << 20,
	OUTPUT_ROWS = 2, /* of a line that a tool printed */
	PROSE_ROWS = 12, /* of a line of an error */
};

static const char *style_code(const struct style *s, enum paint p)
{
	static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[31m",
					     "\033[32m", "\033[33m", "\033[36m", "\033[7m" };
	bool is_color = p > DIM && p < REVERSE;

	return p == PLAIN || !s->attributes || (is_color && !s->color) ? "" : codes[p];
}

void style_begin(struct strbuf *out, const struct style *s, enum paint p)
{
	strbuf_add(out, style_code(s, p));
}

void style_end(struct strbuf *out, const struct style *s, enum paint p)
{
	if (*style_code(s, p))
		strbuf_add(out, "\033[0m");
}

static void style_put_line(struct strbuf *out, const struct style *s, enum paint p,
			   const char *lead, const char *text, size_t len)
{
	style_begin(out, s, p);
	strbuf_add(out, lead);
	strbuf_addn(out, text, len);
	style_end(out, s, p);
	strbuf_addc(out, '\n');
}

/* The length of the line at the start. */
static size_t style_line_len(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end ? (size_t)(end - text) : len;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t n = len > 0 && text[len - 1] != '\n';

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

/* A line in rows of whole words behind `lead`; a mark ends more than `most` rows. */
static void put_words(struct strbuf *out, const struct style *s, enum paint p,
		      const char *lead, const char *text, size_t len, size_t most)
{
	size_t wide = text_width(lead, strlen(lead));
	size_t columns = s->columns > 9 ? s->columns - 1 - wide : 8;
	size_t at = 0, rows = 0;

	if (!s->attributes) /* for a program, or for ears */
		columns = SIZE_MAX;
	do {
		size_t n = text_fit_words(text + at, len - at, columns);
		bool last = ++rows == most && at + n < len;

		style_begin(out, s, p);
		strbuf_add(out, lead);
		strbuf_addn(out, text + at, n);
		strbuf_add(out, last ? "…" : "");
		style_end(out, s, p);
		strbuf_addc(out, '\n');
		at += n;
		while (at < len && text[at] == ' ')
			at++;
	} while (at < len && rows < most);
}

/* Text from outside, cleaned and wrapped between words, each row behind `lead`. */
static void style_lines(struct strbuf *out, const struct style *s, enum paint p,
			const char *lead, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(CLEAN_MAX);

	text_clean(&clean, text, len);
	for (size_t i = 0, n; i < clean.len; i += n + 1) {
		n = style_line_len(clean.text + i, clean.len - i);
		put_words(out, s, p, lead, clean.text + i, n, SIZE_MAX);
	}
}

void style_head(struct strbuf *out, const struct style *s, enum paint p, const char *lead,
		const char *text, size_t len, size_t most)
{
	size_t lines = count_lines(text, len), at = 0;

	for (size_t i = 0; lines > most && i < most - 1; i++)
		at += style_line_len(text + at, len - at) + 1;
	style_lines(out, s, p, lead, text, lines > most ? at : len);
	if (lines > most)
		style_line(out, s, DIM, "  … %zu more lines …", lines - (most - 1));
}

void style_words(struct strbuf *out, const struct style *s, enum paint p,
		 const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(CLEAN_MAX);

	text_clean(&clean, text, len);
	for (size_t i = 0, n; i < clean.len; i += n + 1) {
		n = style_line_len(clean.text + i, clean.len - i);
		put_words(out, s, p, "", clean.text + i, n, SIZE_MAX);
	}
}

void style_line(struct strbuf *out, const struct style *s, enum paint p,
		const char *format, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20), clean = STRBUF(1 << 20);
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(&text, format, ap);
	va_end(ap);
	text_clean_line(&clean, text.text, text.len);
	put_words(out, s, p, "", clean.text, clean.len, SIZE_MAX);
}

/* ---- diffs ------------------------------------------------------------- */

static bool is_head(const char *line, size_t len)
{
	return len >= 3 && (memcmp(line, "+++", 3) == 0 || memcmp(line, "---", 3) == 0) &&
	       (len == 3 || line[3] == ' ');
}

void style_diff(struct strbuf *out, const struct style *s, const char *diff, size_t len)
{
	bool inside = false; /* file names come before the first hunk */

	for (size_t i = 0, n; i < len; i += n + 1) {
		AUTO(strbuf) struct strbuf seen = STRBUF(CLEAN_MAX);
		const char *line = diff + i;
		bool sign;

		n = style_line_len(line, len - i);
		inside |= *line == '@';
		if (n == 0 || (!inside && is_head(line, n)))
			continue;
		sign = *line == '+' || *line == '-' || *line == ' ';
		visible_add(&seen, VISIBLE_LINES, line + sign, n - sign, NULL, NULL);
		style_put_line(out, s,
			       *line == '+'   ? GREEN
			       : *line == '-' ? RED
			       : *line == '@' ? CYAN
					      : DIM,
			       *line == '+'   ? "  +"
			       : *line == '-' ? "  -"
			       : sign         ? "   "
					      : "  ",
			       seen.text, seen.len);
	}
}

/* ---- results ----------------------------------------------------------- */

void style_result(struct strbuf *out, const struct style *s, enum paint p,
		  const char *text, size_t len, size_t most)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(CLEAN_MAX);
	size_t lines, head = most / 2, number = 0;

	text_clean(&clean, text, len);
	while (clean.len && clean.text[clean.len - 1] == '\n')
		strbuf_cut(&clean, clean.len - 1);
	lines = count_lines(clean.text, clean.len);
	for (size_t i = 0, n; i < clean.len; i += n + 1, number++) {
		n = style_line_len(clean.text + i, clean.len - i);
		if (lines <= most || number < head || number >= lines - head)
			put_words(out, s, p, "  ", clean.text + i, n,
				  p == DIM ? OUTPUT_ROWS : PROSE_ROWS);
		else if (number == head)
			style_line(out, s, DIM, "  … %zu more lines …", lines - 2 * head);
	}
}
