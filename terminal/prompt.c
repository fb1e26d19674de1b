/* SPDX-License-Identifier: MIT
 *
 * prompt.c - wraps the typed text. */
#include "prompt.h"

#include "text.h"

#include <string.h>

/* Bytes of the row that begins there; `*ret_next` is where the next one begins,
 * or beyond the end of the text. */
static size_t row_at(const struct line_editor *l, size_t at, size_t columns,
		     size_t *ret_next)
{
	const char *text = l->text.text + at, *end;
	size_t left = l->text.len - at, len;

	end = memchr(text, '\n', left);
	len = end ? (size_t)(end - text) : left;
	if (text_width(text, len) < columns) {
		*ret_next = at + len + 1;
		return len;
	}
	len = text_fit(text, len, columns - 1);
	if (len == 0) /* narrower than a wide character */
		len = text_cluster(text, left);
	*ret_next = at + len;
	return len;
}

struct place {
	size_t rows;         /* of the whole text */
	size_t row, column;  /* of the cursor */
};

static struct place find_cursor(const struct line_editor *l, size_t columns)
{
	struct place p = { 0 };
	size_t at = 0, next;

	do {
		size_t len = row_at(l, at, columns, &next);

		if (l->at >= at && l->at <= at + len && (l->at < next)) {
			p.row = p.rows;
			p.column = text_width(l->text.text + at, l->at - at);
		}
		p.rows++;
		at = next;
	} while (at <= l->text.len);
	return p;
}

void prompt_add(struct live_region *a, const char *lead, const struct line_editor *l,
		size_t most)
{
	size_t indent = text_width(lead, strlen(lead)), at = 0, next, row = 0, first = 0;
	size_t columns = a->columns > indent + 4 ? a->columns - indent : 4;
	struct place p = find_cursor(l, columns);

	if (p.rows > most && p.row >= most / 2)
		first = p.row - most / 2 + most <= p.rows ? p.row - most / 2
							  : p.rows - most;
	do {
		AUTO(strbuf) struct strbuf text = STRBUF(AREA_ROW_BYTES);
		size_t len = row_at(l, at, columns, &next);

		if (row >= first && row < first + most) {
			if (row == p.row)
				live_region_cursor(a, live_region_count(a),
						   indent + p.column);
			if (row == 0)
				strbuf_add(&text, lead);
			else
				strbuf_addf(&text, "%*s", (int)indent, "");
			strbuf_addn(&text, l->text.text + at, len);
			live_region_add(a, text.text, text.len);
		}
		row++;
		at = next;
	} while (at <= l->text.len);
}
