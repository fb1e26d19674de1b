/* SPDX-License-Identifier: MIT
 *
 * live-region.c - draws the rows at the bottom with as few bytes as possible. */
#include "live-region.h"

#include "text.h"

#include <string.h>

static void live_region_forget(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->text[i]);
	*r = (struct rows){ 0 };
}

void live_region_init(struct live_region *a, size_t columns)
{
	*a = (struct live_region){ .columns = columns };
}

void live_region_done(struct live_region *a)
{
	live_region_forget(&a->drawn);
	live_region_forget(&a->next);
}

void live_region_begin(struct live_region *a)
{
	live_region_forget(&a->next);
}

void live_region_add(struct live_region *a, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf row = STRBUF(AREA_ROW_BYTES);
	size_t fit = text_fit(text, len, a->columns > 1 ? a->columns - 1 : 1);

	if (a->next.count == AREA_ROWS_MAX)
		return;
	strbuf_addn(&row, text, fit);
	if (fit < len && memchr(text, '\033', fit))
		strbuf_add(&row, "\033[0m");
	a->next.text[a->next.count] = strbuf_take(&row);
	if (a->next.text[a->next.count])
		a->next.count++;
}

void live_region_cursor(struct live_region *a, size_t row, size_t column)
{
	a->next.row = row;
	a->next.column = column;
}

size_t live_region_count(const struct live_region *a)
{
	return a->next.count;
}

void live_region_trim(struct live_region *a, size_t most)
{
	size_t extra = a->next.count > most ? a->next.count - most : 0;

	for (size_t i = 0; i < extra; i++)
		free(a->next.text[i]);
	a->next.count -= extra;
	memmove(a->next.text, a->next.text + extra, a->next.count * sizeof *a->next.text);
	a->next.row -= a->next.row > extra ? extra : a->next.row;
}

/* ---- movements --------------------------------------------------------- */

/* The cursor from a row of the drawn picture to another. */
static void go(struct live_region *a, struct strbuf *out, size_t row)
{
	if (row < a->drawn.row)
		strbuf_addf(out, "\033[%zuA", a->drawn.row - row);
	else if (row > a->drawn.row)
		strbuf_addf(out, "\033[%zuB", row - a->drawn.row);
	a->drawn.row = row;
}

static void go_column(struct strbuf *out, size_t column)
{
	strbuf_addc(out, '\r');
	if (column)
		strbuf_addf(out, "\033[%zuC", column);
}

/* ---- one row ----------------------------------------------------------- */

/* Length of the common prefix, up to a valid cursor position. */
static size_t common(const char *old, const char *new)
{
	size_t len = strlen(new), old_len = strlen(old), i = 0;

	while (i < len && i < old_len && new[i] != '\033') {
		size_t n = text_cluster(new + i, len - i);

		if (text_cluster(old + i, old_len - i) != n ||
		    memcmp(old + i, new + i, n) != 0)
			break;
		i += n;
	}
	return i;
}

static void live_region_rewrite(struct live_region *a, struct strbuf *out, size_t i)
{
	const char *old = a->drawn.text[i], *new = a->next.text[i];
	size_t same = common(old, new);

	go(a, out, i);
	go_column(out, text_width(new, same));
	strbuf_add(out, new + same);
	strbuf_add(out, old[same] || strchr(new, '\033') ? "\033[K" : "");
}

static void live_region_append(struct live_region *a, struct strbuf *out, size_t i)
{
	if (i > 0) {
		go(a, out, i - 1);
		strbuf_add(out, "\r\n");
	} else {
		strbuf_addc(out, '\r');
	}
	strbuf_add(out, "\033[K");
	strbuf_add(out, a->next.text[i]);
	a->drawn.row = i;
}

/* ---- drawing ----------------------------------------------------------- */

static bool same_row(const struct live_region *a, size_t i)
{
	return i < a->drawn.count && strcmp(a->drawn.text[i], a->next.text[i]) == 0;
}

static void live_region_take_over(struct live_region *a)
{
	live_region_forget(&a->drawn);
	a->drawn = a->next;
	a->next = (struct rows){ 0 };
}

static void place_cursor(struct live_region *a, struct strbuf *out, bool moved)
{
	if (moved || a->drawn.row != a->next.row || a->drawn.column != a->next.column) {
		go(a, out, a->next.row);
		go_column(out, a->next.column);
	}
	live_region_take_over(a);
}

static void draw_changes(struct live_region *a, struct strbuf *out)
{
	size_t old = a->drawn.count, before = out->len;

	for (size_t i = 0; i < a->next.count; i++)
		if (i >= old)
			live_region_append(a, out, i);
		else if (!same_row(a, i))
			live_region_rewrite(a, out, i);
	if (a->next.count < old) {
		go(a, out, a->next.count);
		strbuf_add(out, "\r\033[J");
	}
	if (a->next.row >= a->next.count)
		a->next.row = a->next.count ? a->next.count - 1 : 0;
	place_cursor(a, out, out->len > before);
}

/* A row is cleared before it is written: a row that is cleared from its first
 * column on holds no blanks that would wrap when the terminal becomes narrower. */
static void put_above(const struct live_region *a, struct strbuf *out, const char *above,
		      size_t len)
{
	for (size_t i = 0, n; i < len; i += n + 1) {
		const char *end = memchr(above + i, '\n', len - i);

		n = end ? (size_t)(end - (above + i)) : len - i;
		strbuf_add(out, "\033[K");
		strbuf_addn(out, above + i, n);
		if (text_width(above + i, n) > a->columns)
			strbuf_add(out, "\033[K"); /* the row that it ends in */
		strbuf_add(out, "\r\n");
	}
}

void live_region_draw(struct live_region *a, struct strbuf *out, const char *above,
		      size_t len)
{
	if (!len) {
		draw_changes(a, out);
		return;
	}
	go(a, out, 0);
	strbuf_addc(out, '\r');
	put_above(a, out, above, len);
	live_region_forget(&a->drawn);
	for (size_t i = 0; i < a->next.count; i++)
		live_region_append(a, out, i);
	strbuf_add(out, "\033[J");
	if (a->next.row >= a->next.count)
		a->next.row = a->next.count ? a->next.count - 1 : 0;
	place_cursor(a, out, true);
}

void live_region_erase(struct live_region *a, struct strbuf *out)
{
	go(a, out, 0);
	strbuf_add(out, "\r\033[J");
	live_region_forget(&a->drawn);
}

static size_t rows_at(size_t width, size_t columns)
{
	return width ? (width + columns - 1) / columns : 1;
}

void live_region_resize(struct live_region *a, struct strbuf *out, size_t columns)
{
	size_t above = 0;

	if (columns == a->columns || columns == 0)
		return;
	for (size_t i = 0; i < a->drawn.row && i < a->drawn.count; i++)
		above += rows_at(text_width(a->drawn.text[i], strlen(a->drawn.text[i])),
				 columns);
	above += a->drawn.column / columns;
	if (a->drawn.count && above)
		strbuf_addf(out, "\033[%zuA", above);
	strbuf_add(out, "\r\033[J");
	live_region_forget(&a->drawn);
	a->columns = columns;
}
