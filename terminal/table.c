/* SPDX-License-Identifier: MIT
 *
 * table.c - lays out tables that are wider than the screen: cells are wrapped between
 * words. */
#include "table.h"

#include "auto.h"
#include "text.h"

#include <string.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <lowdown.h>

enum { CELLS_MAX = 32, CELL_BYTES_MAX = 16 << 10, LEAST = 6, BETWEEN = 3 };

struct row {
	struct strbuf cells[CELLS_MAX];
	size_t count;
};

static void row_done(struct row *r)
{
	for (size_t i = 0; i < r->count; i++)
		strbuf_clear(&r->cells[i]);
	r->count = 0;
}

/* ---- reading ----------------------------------------------------------- */

static size_t chat_table_line_len(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end ? (size_t)(end - text) : len;
}

static bool is_rule(const char *line, size_t len)
{
	bool bar = false, dash = false;

	for (size_t i = 0; i < len; i++) {
		if (!strchr("|-: ", line[i]) || !line[i])
			return false;
		bar |= line[i] == '|';
		dash |= line[i] == '-';
	}
	return bar && dash;
}

size_t table_len(const char *text, size_t len)
{
	size_t first = chat_table_line_len(text, len), at = first + 1, n;

	if (at >= len || !memchr(text, '|', first))
		return 0;
	n = chat_table_line_len(text + at, len - at);
	if (!is_rule(text + at, n))
		return 0;
	for (at += n + 1; at < len; at += n + 1) {
		n = chat_table_line_len(text + at, len - at);
		if (!memchr(text + at, '|', n))
			break;
	}
	return at < len ? at : len;
}

/* A cell without its markup. */
static void add_cell(struct row *r, const char *text, size_t len)
{
	struct lowdown_opts o = { .type = LOWDOWN_TERM,
				  .maxdepth = 8,
				  .cols = CELL_BYTES_MAX,
				  .feat = LOWDOWN_STRIKE | LOWDOWN_COMMONMARK |
					  LOWDOWN_NOINTEM,
				  .oflags = LOWDOWN_TERM_NOANSI };
	AUTO(free) char *plain = NULL;
	struct strbuf *cell = &r->cells[r->count++];
	size_t size = 0, begin;

	*cell = STRBUF(CELL_BYTES_MAX);
	while (len && *text == ' ')
		text++, len--;
	while (len && text[len - 1] == ' ')
		len--;
	if (!len || !lowdown_buf(&o, text, len, &plain, &size, NULL)) {
		strbuf_addn(cell, text, len);
		return;
	}
	for (begin = 0; begin < size && strchr(" \n", plain[begin]); begin++)
		;
	while (size > begin && strchr(" \n", plain[size - 1]))
		size--;
	for (size_t i = begin; i < size; i++)
		strbuf_addc(cell, plain[i] == '\n' ? ' ' : plain[i]);
}

/* Cells end at bars, unless these are escaped or in code. */
static void take_row(struct row *r, const char *line, size_t len)
{
	AUTO(strbuf) struct strbuf cell = STRBUF(CELL_BYTES_MAX);
	bool code = false;
	size_t i = 0;

	r->count = 0;
	while (len && line[len - 1] == ' ')
		len--;
	while (i < len && line[i] == ' ')
		i++;
	i += i < len && line[i] == '|';
	for (; i < len && r->count < CELLS_MAX; i++) {
		if (line[i] == '\\' && i + 1 < len && line[i + 1] == '|') {
			strbuf_addc(&cell, line[++i]);
		} else if (line[i] == '|' && !code) {
			add_cell(r, cell.text, cell.len);
			strbuf_reset(&cell);
		} else {
			code ^= line[i] == '`';
			strbuf_addc(&cell, line[i]);
		}
	}
	if (cell.len && r->count < CELLS_MAX)
		add_cell(r, cell.text, cell.len);
}

/* ---- widths ------------------------------------------------------------ */

struct widths {
	size_t of[CELLS_MAX], count;
};

static void chat_table_measure(struct widths *w, const char *text, size_t len)
{
	*w = (struct widths){ 0 };
	for (size_t at = 0, n, number = 0; at < len; at += n + 1, number++) {
		struct row r;

		n = chat_table_line_len(text + at, len - at);
		if (number == 1)
			continue;
		take_row(&r, text + at, n);
		w->count = r.count > w->count ? r.count : w->count;
		for (size_t i = 0; i < r.count; i++) {
			size_t wide = text_width(r.cells[i].text, r.cells[i].len);

			w->of[i] = wide > w->of[i] ? wide : w->of[i];
		}
		row_done(&r);
	}
}

static size_t sum_up_to(const struct widths *w, size_t most)
{
	size_t sum = w->count ? BETWEEN * (w->count - 1) : 0;

	for (size_t i = 0; i < w->count; i++)
		sum += w->of[i] < most ? w->of[i] : most;
	return sum;
}

/* Shrink the widest columns. */
static bool chat_table_narrow(struct widths *w, size_t columns)
{
	size_t most = LEAST;

	if (w->count == 0 || sum_up_to(w, LEAST) > columns)
		return false;
	while (sum_up_to(w, most + 1) <= columns)
		most++;
	for (size_t i = 0; i < w->count; i++)
		w->of[i] = w->of[i] < most ? w->of[i] : most;
	return true;
}

/* ---- writing ----------------------------------------------------------- */

static void chat_table_put_cell(struct strbuf *out, const struct style *s, enum paint p,
				const char *text, size_t len, size_t pad)
{
	style_begin(out, s, p);
	strbuf_addn(out, text, len);
	style_end(out, s, p);
	for (size_t wide = text_width(text, len); wide < pad; wide++)
		strbuf_addc(out, ' ');
}

static void chat_table_put_row(struct strbuf *out, const struct style *s,
			       const struct widths *w, const struct row *r, enum paint p)
{
	size_t at[CELLS_MAX] = { 0 };
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < w->count; i++) {
			const char *text = i < r->count ? r->cells[i].text + at[i] : "";
			size_t len = i < r->count ? r->cells[i].len - at[i] : 0;
			size_t n = text_fit_words(text, len, w->of[i]);

			strbuf_add(out, i ? " | " : "");
			chat_table_put_cell(out, s, p, text, n, w->of[i]);
			at[i] += n;
			at[i] += n < len && text[n] == ' ';
			more |= i < r->count && at[i] < r->cells[i].len;
		}
		while (out->len && out->text[out->len - 1] == ' ')
			strbuf_cut(out, out->len - 1);
		strbuf_addc(out, '\n');
	}
}

static void put_rule(struct strbuf *out, const struct widths *w)
{
	for (size_t i = 0; i < w->count; i++) {
		strbuf_add(out, i ? "-|-" : "");
		for (size_t k = 0; k < w->of[i]; k++)
			strbuf_addc(out, '-');
	}
	strbuf_addc(out, '\n');
}

bool table_wrap(struct strbuf *out, const struct style *s, const char *text, size_t len)
{
	size_t columns = s->columns > 1 ? s->columns - 1 : 1;
	struct widths w;

	chat_table_measure(&w, text, len);
	if (sum_up_to(&w, SIZE_MAX) <= columns || !chat_table_narrow(&w, columns))
		return false;
	for (size_t at = 0, n, number = 0; at < len; at += n + 1, number++) {
		struct row r;

		n = chat_table_line_len(text + at, len - at);
		if (number == 1) {
			put_rule(out, &w);
			continue;
		}
		take_row(&r, text + at, n);
		chat_table_put_row(out, s, &w, &r, number ? PLAIN : BOLD);
		row_done(&r);
	}
	return true;
}
