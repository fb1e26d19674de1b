/* SPDX-License-Identifier: MIT
 *
 * lines.c - prints matching lines, numbered. */
#include "lines.h"
#include "utf8.h"

#include <fcntl.h>
#include <string.h>

enum {
	LINE_SHOWN = 300,  /* bytes of a line */
	LINE_BEFORE = 100, /* of them before the match, if the line is longer */
};

struct printer {
	const char *text, *end;
	const char *counted; /* lines are counted up to here */
	size_t number;       /* of the line at `counted` */
	const char *printed; /* printed or skipped up to here; NULL: none yet */
	struct strbuf *out;
};

static const char *search_lines_next_line(const struct printer *p, const char *line)
{
	const char *nl = memchr(line, '\n', (size_t)(p->end - line));

	return nl ? nl + 1 : p->end;
}

static size_t search_line_length(const char *line, const char *next)
{
	while (next > line && (next[-1] == '\n' || next[-1] == '\r'))
		next--;
	return (size_t)(next - line);
}

/* The part of a line around its match. */
static void search_lines_put_text(struct strbuf *out, const char *line, size_t len,
				  size_t match)
{
	size_t from = 0, n;

	if (len > LINE_SHOWN && match > LINE_BEFORE) {
		from = match - LINE_BEFORE < len - LINE_SHOWN ? match - LINE_BEFORE
							      : len - LINE_SHOWN;
		while (from && (line[from] & 0xc0) == 0x80)
			from--;
	}
	n = utf8_cut(line + from, len - from, LINE_SHOWN);
	strbuf_add(out, from ? "... " : "");
	utf8_add_clean(out, line + from, n);
	strbuf_add(out, from + n < len ? " ...\n" : "\n");
}

static void search_lines_put_line(struct printer *p, const char *line, char mark,
				  size_t match)
{
	const char *next = search_lines_next_line(p, line);

	for (; p->counted < line; p->counted++)
		p->number += *p->counted == '\n';
	strbuf_addf(p->out, "  %zu%c ", p->number, mark);
	search_lines_put_text(p->out, line, search_line_length(line, next), match);
	p->printed = next;
}

/* Print at most `count` lines after the printed ones, up to `limit`. */
static void put_after(struct printer *p, size_t count, const char *limit)
{
	while (p->printed && count-- && p->printed < limit)
		search_lines_put_line(p, p->printed, '-', 0);
}

static void put_before(struct printer *p, size_t count, const char *line)
{
	const char *from = line, *first = p->printed ? p->printed : p->text;

	while (count-- && from > first) {
		const char *nl = from - 1 > first ? memrchr(first, '\n',
							    (size_t)(from - 1 - first))
						  : NULL;

		from = nl ? nl + 1 : first;
	}
	if (p->printed && from > p->printed)
		strbuf_add(p->out, "  --\n");
	while (from < line) {
		search_lines_put_line(p, from, '-', 0);
		from = p->printed;
	}
}

void lines_put(const struct search *s, const struct found_file *f, struct matcher *m,
	       struct lines_page *page, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf path = STRBUF(SEARCH_PATH_MAX);
	AUTO(strbuf) struct strbuf text = STRBUF(s->file_max + 8);
	AUTO(close) int fd = -1;
	size_t at = 0;
	struct mt_str line;
	bool pending = false; /* the lines after the last match are */

	page->shown = page->total = 0;
	strbuf_addf(&path, "%s%s%s", s->top, *f->path ? "/" : "", f->path);
	fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0 || search_text_read(fd, s->file_max, &text))
		return;
	struct printer p = { .text = text.text, .end = text.text + text.len,
			     .counted = text.text, .number = 1, .out = out };

	while (matcher_next(m, text.text, text.len, &at, &line) == MT_OK) {
		if (pending)
			put_after(&p, page->context, line.ptr);
		pending = false;
		if (page->total++ < page->skip || page->shown == page->most)
			continue;
		if (page->context)
			put_before(&p, page->context, line.ptr);
		search_lines_put_line(&p, line.ptr, ':', matcher_place(m));
		page->shown++;
		pending = true;
	}
	if (pending)
		put_after(&p, page->context, p.end);
}
