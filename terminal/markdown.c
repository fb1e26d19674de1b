/* SPDX-License-Identifier: MIT
 *
 * markdown.c - finds Markdown blocks as they arrive; lowdown lays them out. */
#include "markdown.h"

#include "auto.h"
#include "table.h"

#include <string.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <lowdown.h>

enum { DEPTH = 16, COLUMNS_MAX = 100, LINE_BYTES_MAX = 64 << 10, MARGIN = 4 };

void markdown_init(struct markdown *m, const struct style *style)
{
	*m = (struct markdown){ .style = style,
				.line = STRBUF(LINE_BYTES_MAX + 64),
				.block = STRBUF(MARKDOWN_BLOCK_MAX * 2) };
}

void markdown_done(struct markdown *m)
{
	strbuf_clear(&m->line);
	strbuf_clear(&m->block);
}

struct markdown_cut markdown_cut(const struct markdown *m)
{
	return (struct markdown_cut){ .fence = m->fence, .mark = m->mark };
}

void markdown_continue(struct markdown *m, struct markdown_cut cut)
{
	m->fence = cut.fence;
	m->mark = cut.mark;
}

void markdown_drop_word(struct markdown *m)
{
	size_t len = m->line.len;

	while (len && m->line.text[len - 1] != ' ')
		len--;
	strbuf_cut(&m->line, len);
}

void markdown_drop(struct markdown *m)
{
	strbuf_reset(&m->line);
	strbuf_reset(&m->block);
	m->cleaner = (struct cleaner){ 0 };
	m->fence = 0;
	m->blank = m->any = false;
}

/* The width of the mark of a list item after blanks, with its space; 0: not an item. */
static size_t item_mark(const char *line)
{
	size_t digits;

	line += strspn(line, " ");
	digits = strspn(line, "0123456789");
	if (digits)
		return digits < 10 && (line[digits] == '.' || line[digits] == ')') &&
				       line[digits + 1] == ' '
			       ? digits + 2
			       : 0;
	return strchr("-*+", *line) && *line && line[1] == ' ' ? 2 : 0;
}

static bool is_item(const char *line)
{
	return item_mark(line) > 0;
}

/* ---- one block --------------------------------------------------------- */

/* Blanks before the open items of a list, and the width of their marks. */
struct nesting {
	size_t depth, blanks[DEPTH], marks[DEPTH];
};

/* The number of blanks that a line of a list needs: lowdown recognizes every level only
 * if an item has four for each level above it. */
static size_t list_indent(struct nesting *n, const char *line, size_t blanks)
{
	size_t mark = item_mark(line), depth = n->depth, text;

	while (depth && n->blanks[depth - 1] >= blanks)
		depth--;
	if (mark && depth < DEPTH) {
		n->blanks[depth] = blanks;
		n->marks[depth] = mark;
		n->depth = depth + 1;
		return 4 * depth;
	}
	if (mark || !depth)
		return blanks;
	text = n->blanks[depth - 1] + n->marks[depth - 1];
	return 4 * depth + (blanks > text ? blanks - text : 0);
}

/* The lines without the library's margin and the blanks at their ends. */
static void markdown_put_lines(struct strbuf *out, const char *text, size_t len)
{
	bool any = false, gap = false;

	for (size_t i = 0, n, margin; i < len; i += n + 1) {
		const char *line = text + i, *end = memchr(line, '\n', len - i);
		size_t size;

		size = n = end ? (size_t)(end - line) : len - i;
		margin = strspn(line, " ");
		margin = margin > MARGIN ? MARGIN : margin;
		while (size > margin && line[size - 1] == ' ')
			size--;
		if (size <= margin) {
			gap = any;
			continue;
		}
		if (gap)
			strbuf_addc(out, '\n');
		strbuf_addn(out, line + margin, size - margin);
		strbuf_addc(out, '\n');
		any = true;
		gap = false;
	}
}

/* Does the line break of the model stay where it is? Where it means something else,
 * and in tables, it has to. */
static bool keeps_break(const char *line, size_t len)
{
	return len > 0 && !memchr(line, '|', len) && line[strspn(line, " ")] != '#' &&
	       line[len - 1] != '\\';
}

/* lowdown joins the lines of a paragraph, unless they end in two spaces. */
static void put_for_lowdown(struct strbuf *out, const char *text, size_t len)
{
	struct nesting nesting = { 0 };
	bool is_list = is_item(text);

	for (size_t i = 0, n; i < len; i += n + 1) {
		const char *line = text + i, *end = memchr(line, '\n', len - i);
		size_t blanks = strspn(line, " ");

		n = end ? (size_t)(end - line) : len - i;
		if (is_list && blanks < n)
			strbuf_addf(out, "%*s", (int)list_indent(&nesting, line, blanks),
				    "");
		else
			blanks = 0;
		strbuf_addn(out, line + blanks, n - blanks);
		strbuf_add(out, end && keeps_break(line, n) ? "  \n" : "\n");
	}
}

static void markdown_lay_out(struct strbuf *out, const struct style *s, const char *text,
			     size_t len)
{
	size_t columns = s->columns > COLUMNS_MAX ? COLUMNS_MAX : s->columns;
	struct lowdown_opts o = { .type = LOWDOWN_TERM,
				  .maxdepth = DEPTH,
				  .cols = columns + MARGIN - 2,
				  .feat = LOWDOWN_TABLES | LOWDOWN_FENCED |
					  LOWDOWN_STRIKE | LOWDOWN_COMMONMARK |
					  LOWDOWN_NOINTEM | LOWDOWN_TASKLIST,
				  .oflags = s->color ? 0 : LOWDOWN_TERM_NOCOLOUR };
	AUTO(strbuf) struct strbuf lines = STRBUF(MARKDOWN_BLOCK_MAX * 4);
	AUTO(free) char *laid_out = NULL;
	size_t size = 0;

	put_for_lowdown(&lines, text, len);
	if (!lines.error &&
	    lowdown_buf(&o, lines.text, lines.len, &laid_out, &size, NULL)) {
		markdown_put_lines(out, laid_out, size);
		return;
	}
	strbuf_addn(out, text, len);
	if (len && text[len - 1] != '\n')
		strbuf_addc(out, '\n');
}

/* Where the next table begins; `len` if none does. */
static size_t find_table(const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		const char *end;

		if (table_len(text + at, len - at))
			return at;
		end = memchr(text + at, '\n', len - at);
		at = end ? (size_t)(end - text) + 1 : len;
	}
	return len;
}

/* One block, laid out as lines. */
static void markdown_put_block(struct strbuf *out, const struct style *s,
			       const char *text, size_t len)
{
	if (!s->attributes) {
		strbuf_addn(out, text, len);
		if (len && text[len - 1] != '\n')
			strbuf_addc(out, '\n');
		return;
	}
	for (size_t at = 0, n; at < len; at += n) {
		size_t before = find_table(text + at, len - at);

		if (before)
			markdown_lay_out(out, s, text + at, before);
		at += before;
		n = table_len(text + at, len - at);
		strbuf_add(out, before && n ? "\n" : "");
		if (n && !table_wrap(out, s, text + at, n))
			markdown_lay_out(out, s, text + at, n);
		strbuf_add(out, n && at + n < len ? "\n" : "");
	}
}

/* ---- blocks out of lines ----------------------------------------------- */

static void markdown_flush(struct markdown *m, struct strbuf *out)
{
	if (m->block.len) {
		if (m->any)
			strbuf_addc(out, '\n');
		markdown_put_block(out, m->style, m->block.text, m->block.len);
		m->any = true;
	}
	strbuf_reset(&m->block);
	m->blank = false;
}

/* Length of the fence that the line begins with, after blanks. */
static size_t fence_of(const char *line, char *ret_mark)
{
	size_t n = 0;

	line += strspn(line, " ");
	*ret_mark = *line;
	if (*line != '`' && *line != '~')
		return 0;
	while (line[n] == *line)
		n++;
	return n >= 3 && (*line == '~' || !strchr(line + n, '`')) ? n : 0;
}

static bool markdown_closes(const struct markdown *m, const char *line)
{
	char mark;
	size_t n = fence_of(line, &mark);

	line += strspn(line, " ");
	return n >= m->fence && mark == m->mark &&
	       line[n + strspn(line + n, " ")] == '\0';
}

static void code_line(struct markdown *m, struct strbuf *out, const char *line)
{
	style_begin(out, m->style, CYAN);
	strbuf_add(out, m->style->attributes ? "    " : "");
	strbuf_add(out, line);
	style_end(out, m->style, CYAN);
	strbuf_addc(out, '\n');
}

static void open_fence(struct markdown *m, struct strbuf *out, const char *line, size_t n,
		       char mark)
{
	markdown_flush(m, out);
	if (m->any)
		strbuf_addc(out, '\n');
	m->any = true;
	m->fence = n;
	m->mark = mark;
	if (!m->style->attributes) /* as it is written */
		code_line(m, out, line);
}

/* Does the block continue with this line after a blank one? */
static bool continues_block(const struct markdown *m, const char *line)
{
	return is_item(m->block.text) && (strncmp(line, "  ", 2) == 0 || is_item(line));
}

/* Does this line begin a list below a line of text? Numbers have to begin with 1, so
 * that one at the start of a line is not a list. */
static bool begins_list(const struct markdown *m, const char *line)
{
	const char *mark = line + strspn(line, " ");

	return m->block.len && is_item(line) && !is_item(m->block.text) &&
	       (strchr("-*+", *mark) || (mark[0] == '1' && strchr(".)", mark[1])));
}

static void block_line(struct markdown *m, struct strbuf *out, const char *line)
{
	if (line[strspn(line, " ")] == '\0') {
		m->blank = m->block.len > 0;
		if (m->blank && !is_item(m->block.text))
			markdown_flush(m, out);
		return;
	}
	if (m->blank && continues_block(m, line)) {
		strbuf_addc(&m->block, '\n');
	} else if (m->blank || m->block.len > MARKDOWN_BLOCK_MAX) {
		markdown_flush(m, out);
	} else if (begins_list(m, line)) {
		markdown_flush(m, out);
		m->any = false; /* without a blank line between them */
	}
	m->blank = false;
	strbuf_add(&m->block, line);
	strbuf_addc(&m->block, '\n');
}

static void markdown_take_line(struct markdown *m, struct strbuf *out)
{
	const char *line;
	char mark;
	size_t n;

	text_clean_end(&m->cleaner, &m->line);
	line = m->line.text;
	n = fence_of(line, &mark);
	if (m->fence && markdown_closes(m, line)) {
		m->fence = 0;
		if (!m->style->attributes)
			code_line(m, out, line);
	} else if (m->fence) {
		code_line(m, out, line);
	} else if (n) {
		open_fence(m, out, line, n, mark);
	} else {
		block_line(m, out, line);
	}
	strbuf_reset(&m->line);
}

/* The words of a long line; the one that is not over begins the next. */
static void markdown_take_words(struct markdown *m, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf rest = STRBUF(LINE_BYTES_MAX);
	const char *space = memrchr(m->line.text, ' ', m->line.len);
	struct cleaner cleaner = m->cleaner;

	if (!space || space == m->line.text) {
		markdown_take_line(m, out);
		return;
	}
	strbuf_add(&rest, space + 1);
	strbuf_cut(&m->line, (size_t)(space - m->line.text));
	m->cleaner.tail_len = 0;
	markdown_take_line(m, out);
	m->cleaner = cleaner;
	strbuf_addn(&m->line, rest.text, rest.len);
}

void markdown_feed(struct markdown *m, struct strbuf *out, const char *text, size_t len)
{
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		n = n > LINE_BYTES_MAX / 8 ? LINE_BYTES_MAX / 8 : n;
		text_clean_feed(&m->cleaner, &m->line, text, n);
		text += n;
		len -= n;
		if (end && len && *text == '\n') {
			markdown_take_line(m, out);
			m->cleaner.returned = false;
			text++;
			len--;
		} else if (m->line.len > LINE_BYTES_MAX / 2) {
			markdown_take_words(m, out);
		}
	}
}

void markdown_end(struct markdown *m, struct strbuf *out)
{
	if (m->line.len || m->cleaner.tail_len)
		markdown_take_line(m, out);
	markdown_flush(m, out);
	markdown_drop(m);
}
