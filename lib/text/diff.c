/* SPDX-License-Identifier: MIT
 *
 * diff.c - the change between two texts as a unified diff.
 *
 * Common lines at both ends are set aside. The remaining lines are compared by Myers'
 * greedy search (An O(ND) difference algorithm, 1986), which stops after MAX_D
 * differences. */
#include "diff.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_D = 400, CONTEXT = 3, MIDDLE_MAX = 4 << 20 };

struct line {
	const char *ptr;
	size_t len; /* with its newline */
	uint64_t hash;
};

struct side {
	struct line *lines;
	size_t count;
};

struct diff {
	struct side a, b;
	unsigned char *gone, *come; /* per line of a, of b: not in the other text */
	size_t before;              /* common lines that were set aside */
};

static int diff_split(struct mt_str text, struct side *ret)
{
	const char *p = text.ptr, *end = p + text.len;
	size_t n = 1;

	for (const char *q = p; text.len && (q = memchr(q, '\n', (size_t)(end - q))); q++)
		n++;
	ret->lines = malloc(n * sizeof *ret->lines);
	if (!ret->lines)
		return MT_ENOMEM;
	while (text.len && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct line *l = &ret->lines[ret->count++];

		*l = (struct line){ p, nl ? (size_t)(nl + 1 - p) : (size_t)(end - p),
				    5381 };
		for (size_t i = 0; i < l->len; i++)
			l->hash = l->hash * 33 + (unsigned char)p[i];
		p += l->len;
	}
	return MT_OK;
}

/* Remove the common lines at both ends, except for the context lines of a hunk.
 * @return the number of lines removed at the front. */
static size_t text_diff_set_aside(struct mt_str *a, struct mt_str *b)
{
	size_t max = a->len < b->len ? a->len : b->len, head = 0, tail = 0, lines = 0;
	int keep = CONTEXT + 1;

	while (head < max && a->ptr[head] == b->ptr[head])
		head++;
	while (tail < max - head &&
	       a->ptr[a->len - tail - 1] == b->ptr[b->len - tail - 1])
		tail++;
	while (head > 0 && keep > 0)
		keep -= a->ptr[--head] == '\n';
	head += keep == 0;
	for (keep = CONTEXT + 1; tail > 0 && keep > 0; tail--)
		keep -= a->ptr[a->len - tail] == '\n';
	for (size_t i = 0; i < head; i++)
		lines += a->ptr[i] == '\n';
	*a = (struct mt_str){ a->ptr + head, a->len - head - tail };
	*b = (struct mt_str){ b->ptr + head, b->len - head - tail };
	return lines;
}

static bool diff_same(const struct line *x, const struct line *y)
{
	return x->hash == y->hash && x->len == y->len &&
	       memcmp(x->ptr, y->ptr, x->len) == 0;
}

/* Trace the search back from the end and clear the marks of common lines. rows[d] holds,
 * for diagonals -d..d, how far d differences reach. */
static void trace_back(struct diff *d, size_t from, int32_t *const *rows, int last,
		       int32_t x, int32_t y)
{
	for (int step = last; step >= 0; step--) {
		int32_t px = 0, py = 0;

		if (step > 0) {
			const int32_t *v = rows[step - 1] + step - 1;
			int k = x - y;

			k = k == -step || (k != step && v[k - 1] < v[k + 1]) ? k + 1
									     : k - 1;
			px = v[k];
			py = px - k;
		}
		for (; x > px && y > py; x--, y--) {
			d->gone[from + (size_t)x - 1] = 0;
			d->come[from + (size_t)y - 1] = 0;
		}
		x = px, y = py;
	}
}

/* One step of the search: fill `row` from the one before.
 * @return true when the ends are reached. */
static bool diff_advance(const struct diff *d, size_t from, int step,
			 const int32_t *before, int32_t *row, int32_t n, int32_t m)
{
	const int32_t *v = before ? before + step - 1 : NULL;
	bool done = false;

	for (int k = -step; k <= step && !done; k += 2) {
		int32_t x = 0, y;

		if (step > 0)
			x = k == -step || (k != step && v[k - 1] < v[k + 1])
				    ? v[k + 1]
				    : v[k - 1] + 1;
		y = x - k;
		while (x < n && y < m && x >= 0 && y >= 0 &&
		       diff_same(&d->a.lines[from + (size_t)x],
				 &d->b.lines[from + (size_t)y]))
			x++, y++;
		row[k + step] = x;
		done = x >= n && y >= m;
	}
	return done;
}

/* Mark the lines that differ between from..a_end of a and from..b_end of b. */
static int text_diff_search(struct diff *d, size_t from, size_t a_end, size_t b_end)
{
	int32_t *rows[MAX_D + 1] = { NULL };
	size_t n = a_end - from, m = b_end - from;
	int status = MT_OK, step = 0;
	bool found = n == 0 || m == 0 || n > INT32_MAX / 4 || m > INT32_MAX / 4;

	memset(d->gone + from, 1, n);
	memset(d->come + from, 1, m);
	for (; !found && step <= MAX_D; step++) {
		rows[step] = malloc((2 * (size_t)step + 1) * sizeof **rows);
		if (!rows[step]) {
			status = MT_ENOMEM;
			break;
		}
		found = diff_advance(d, from, step, step ? rows[step - 1] : NULL,
				     rows[step], (int32_t)n, (int32_t)m);
		if (found)
			trace_back(d, from, rows, step, (int32_t)n, (int32_t)m);
	}
	for (int i = 0; i <= MAX_D; i++)
		free(rows[i]);
	return status;
}

static void diff_put_lines(struct strbuf *out, char sign, const struct side *s,
			   size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct line *l = &s->lines[i];

		strbuf_addc(out, sign);
		strbuf_addn(out, l->ptr, l->len);
		if (l->ptr[l->len - 1] != '\n')
			strbuf_add(out, "\n\\ No newline at end of file\n");
	}
}

static void put_range(struct strbuf *out, char sign, size_t from, size_t count)
{
	strbuf_addf(out, "%c%zu", sign, count ? from + 1 : from);
	if (count != 1)
		strbuf_addf(out, ",%zu", count);
}

/* One hunk: lines i..i_end of a, j..j_end of b. */
static void put_hunk(const struct diff *d, struct strbuf *out, size_t i, size_t i_end,
		     size_t j, size_t j_end)
{
	strbuf_add(out, "@@ ");
	put_range(out, '-', d->before + i, i_end - i);
	strbuf_addc(out, ' ');
	put_range(out, '+', d->before + j, j_end - j);
	strbuf_add(out, " @@\n");
	while (i < i_end || j < j_end) {
		size_t i0 = i, j0 = j;

		while (i < i_end && d->gone[i])
			i++;
		while (j < j_end && d->come[j])
			j++;
		diff_put_lines(out, '-', &d->a, i0, i);
		diff_put_lines(out, '+', &d->b, j0, j);
		for (i0 = i; i < i_end && j < j_end && !d->gone[i] && !d->come[j];)
			i++, j++;
		diff_put_lines(out, ' ', &d->a, i0, i);
	}
}

static void put_hunks(const struct diff *d, struct strbuf *out)
{
	size_t i = 0, j = 0;

	while (i < d->a.count || j < d->b.count) {
		size_t start_i, start_j, quiet = 0, back;

		if (!(i < d->a.count && d->gone[i]) && !(j < d->b.count && d->come[j])) {
			i++, j++;
			continue;
		}
		back = i < CONTEXT ? i : CONTEXT;
		back = j < back ? j : back;
		start_i = i - back, start_j = j - back;
		while ((i < d->a.count || j < d->b.count) && quiet <= 2 * CONTEXT) {
			bool gone = i < d->a.count && d->gone[i];
			bool come = j < d->b.count && d->come[j];

			quiet = gone || come ? 0 : quiet + 1;
			i += gone || !come;
			j += come || !gone;
		}
		back = quiet > CONTEXT ? quiet - CONTEXT : 0;
		i -= back, j -= back;
		put_hunk(d, out, start_i, i, start_j, j);
	}
}

static void text_diff_put_name(struct strbuf *out, const char *sign, const char *name)
{
	strbuf_add(out, sign);
	for (; *name; name++)
		strbuf_addc(out, (unsigned char)*name < 0x20 ? '?' : *name);
	strbuf_addc(out, '\n');
}

int diff_unified(struct mt_str old, struct mt_str new_, const char *from, const char *to,
		 struct strbuf *out)
{
	struct diff d = { 0 };
	size_t head = 0, a_end, b_end;
	int status;

	d.before = text_diff_set_aside(&old, &new_);
	if (old.len > MIDDLE_MAX || new_.len > MIDDLE_MAX)
		return MT_ELIMIT;
	status = diff_split(old, &d.a);
	if (status == MT_OK)
		status = diff_split(new_, &d.b);
	if (status == MT_OK) {
		d.gone = calloc(d.a.count + 1, 1);
		d.come = calloc(d.b.count + 1, 1);
		if (!d.gone || !d.come)
			status = MT_ENOMEM;
	}
	if (status == MT_OK) {
		a_end = d.a.count, b_end = d.b.count;
		while (head < a_end && head < b_end &&
		       diff_same(&d.a.lines[head], &d.b.lines[head]))
			head++;
		while (a_end > head && b_end > head &&
		       diff_same(&d.a.lines[a_end - 1], &d.b.lines[b_end - 1]))
			a_end--, b_end--;
		status = text_diff_search(&d, head, a_end, b_end);
		if (status == MT_OK && (a_end > head || b_end > head)) {
			text_diff_put_name(out, "--- ", from);
			text_diff_put_name(out, "+++ ", to);
			put_hunks(&d, out);
			status = out->error;
		}
	}
	free(d.a.lines);
	free(d.b.lines);
	free(d.gone);
	free(d.come);
	return status;
}
