/* SPDX-License-Identifier: MIT
 *
 * jsonl.c - splits bytes that arrive in pieces of any size into lines. */
#include "jsonl.h"
#include <string.h>

enum { KEEP = 1 << 16 }; /* memory kept between lines */

void jsonl_init(struct jsonl *j, size_t max_line,
		int (*on_line)(char *line, size_t len, void *arg), void *arg)
{
	/* Room for a \r that is not part of the line, and the NUL. */
	*j = (struct jsonl){ .line = STRBUF(max_line + 2),
			     .on_line = on_line,
			     .arg = arg };
}

static int jsonl_end_line(struct jsonl *j)
{
	struct strbuf *line = &j->line;
	int status;

	if (line->len > 0 && line->text[line->len - 1] == '\r')
		strbuf_cut(line, line->len - 1);
	if (line->len + 2 > line->max)
		return MT_ELIMIT;
	/* The shared empty string must not be written to. */
	if (strbuf_reserve(line, 0) == MT_OK)
		status = j->on_line(line->text, line->len, j->arg);
	else
		status = line->error;
	strbuf_reset(line);
	if (line->room > KEEP)
		strbuf_clear(line);
	return status;
}

int jsonl_feed(struct jsonl *j, const char *bytes, size_t len)
{
	while (len > 0 && !j->error) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len;

		j->error = strbuf_addn(&j->line, bytes, n);
		if (end && !j->error)
			j->error = jsonl_end_line(j);
		n += end != NULL;
		bytes += n;
		len -= n;
	}
	return j->error;
}

void jsonl_done(struct jsonl *j)
{
	strbuf_clear(&j->line);
}
