/* SPDX-License-Identifier: MIT
 *
 * edit-diff.c - formats an edit observation as groups of changed lines.
 *
 * The groups match Python's difflib.SequenceMatcher, whose output old trajectories and
 * their readers use: the longest common block first, then the parts to its left and
 * right. A line that is very frequent in a long file does not start a block. */
#include "events/event-internal.h"

#include <inttypes.h>
#include <string.h>

enum {
	DIFF_LINES_MAX = 5000, /* maximum lines; longer files are not compared */
	POPULAR_FROM = 200,    /* minimum lines of a file with popular lines */
};

struct text_line {
	const char *text;
	size_t len;
	uint64_t hash;
};

struct text {
	struct text_line *lines;
	size_t count;
};

struct block {
	size_t a, b, size;
};

struct diff {
	struct text a, b;
	size_t *next;          /* next equal line of b; b.count: none */
	size_t *first;         /* for each line of a, the first equal line of b */
	size_t *run, *new_run; /* length of the block that ends at a line of b */
	struct block *blocks;
	size_t block_count;
};

static int edit_diff_split(const char *text, size_t len, struct text *ret)
{
	size_t count = 1;

	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	if (count > DIFF_LINES_MAX)
		return MT_ELIMIT;
	ret->lines = calloc(count, sizeof *ret->lines);
	if (!ret->lines)
		return MT_ENOMEM;
	for (ret->count = 0; ret->count < count; ret->count++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		ret->lines[ret->count] =
			(struct text_line){ text, n, evlog_hash_bytes(text, n) };
		if (end) {
			text = end + 1;
			len -= n + 1;
		}
	}
	return MT_OK;
}

static bool same_line(const struct text_line *x, const struct text_line *y)
{
	return x->hash == y->hash && x->len == y->len &&
	       memcmp(x->text, y->text, x->len) == 0;
}

/* Chain the equal lines of b and find the start of the chain for each line of a. Lines
 * that are popular in b are not chained. */
static int chain(struct diff *d)
{
	size_t size = 64, slot, limit = d->b.count / 100 + 1;
	AUTO(free) size_t *table = NULL, *times = calloc(d->b.count, sizeof *times);

	while (size < d->b.count * 2)
		size *= 2;
	table = malloc(size * sizeof *table);
	if (!table || !times)
		return MT_ENOMEM;
	memset(table, 0xff, size * sizeof *table);
	for (size_t j = d->b.count; j-- > 0;) { /* chains ascend */
		slot = d->b.lines[j].hash & (size - 1);
		while (table[slot] != SIZE_MAX &&
		       !same_line(&d->b.lines[table[slot]], &d->b.lines[j]))
			slot = (slot + 1) & (size - 1);
		times[j] = table[slot] == SIZE_MAX ? 1 : times[table[slot]] + 1;
		d->next[j] = table[slot] == SIZE_MAX ? d->b.count : table[slot];
		table[slot] = j;
	}
	for (size_t i = 0; i < d->a.count; i++) {
		slot = d->a.lines[i].hash & (size - 1);
		while (table[slot] != SIZE_MAX &&
		       !same_line(&d->b.lines[table[slot]], &d->a.lines[i]))
			slot = (slot + 1) & (size - 1);
		d->first[i] = table[slot] == SIZE_MAX ? d->b.count : table[slot];
		if (d->b.count >= POPULAR_FROM && d->first[i] < d->b.count &&
		    times[d->first[i]] > limit)
			d->first[i] = d->b.count;
	}
	return MT_OK;
}

/* Reset the counts of a line of a to zero. */
static void forget_runs(const struct diff *d, size_t *run, size_t line, size_t b2)
{
	for (size_t j = d->first[line]; j < b2; j = d->next[j])
		run[j + 1] = 0;
}

/* The longest block within a[a1..a2) and b[b1..b2), the earliest of those. */
static struct block longest(struct diff *d, size_t a1, size_t a2, size_t b1, size_t b2)
{
	struct block best = { a1, b1, 0 };

	for (size_t i = a1; i < a2; i++) {
		size_t *old = d->run, *now = d->new_run;

		for (size_t j = d->first[i]; j < b2; j = d->next[j]) {
			if (j < b1)
				continue;
			now[j + 1] = old[j] + 1;
			if (now[j + 1] > best.size)
				best = (struct block){ i + 1 - now[j + 1],
						       j + 1 - now[j + 1], now[j + 1] };
		}
		if (i > a1)
			forget_runs(d, old, i - 1, b2);
		d->run = now;
		d->new_run = old;
	}
	forget_runs(d, d->run, a2 - 1, b2);
	/* popular lines cannot start a block but can extend one */
	while (best.a > a1 && best.b > b1 &&
	       same_line(&d->a.lines[best.a - 1], &d->b.lines[best.b - 1])) {
		best.a--;
		best.b--;
		best.size++;
	}
	while (best.a + best.size < a2 && best.b + best.size < b2 &&
	       same_line(&d->a.lines[best.a + best.size],
			 &d->b.lines[best.b + best.size]))
		best.size++;
	return best;
}

struct range {
	size_t a1, a2, b1, b2;
};

static int edit_diff_by_place(const void *x, const void *y)
{
	const struct block *p = x, *q = y;

	return (p->a > q->a) - (p->a < q->a);
}

static void edit_diff_add_block(struct diff *d, struct block block)
{
	struct block *last = d->block_count ? &d->blocks[d->block_count - 1] : NULL;

	if (last && last->a + last->size == block.a && last->b + last->size == block.b)
		last->size += block.size;
	else
		d->blocks[d->block_count++] = block;
}

/* All common blocks in order, followed by an empty block at the end of both. */
static int edit_diff_match(struct diff *d)
{
	size_t room = (d->a.count < d->b.count ? d->a.count : d->b.count) + 2, depth = 1;
	AUTO(free) struct range *todo = calloc(room + 1, sizeof *todo);
	AUTO(free) struct block *found = calloc(room, sizeof *found);
	size_t count = 0;

	d->blocks = calloc(room, sizeof *d->blocks);
	if (!todo || !found || !d->blocks)
		return MT_ENOMEM;
	todo[0] = (struct range){ 0, d->a.count, 0, d->b.count };
	while (depth > 0) {
		struct range r = todo[--depth];
		struct block best = longest(d, r.a1, r.a2, r.b1, r.b2);

		if (best.size == 0)
			continue;
		found[count++] = best;
		if (r.a1 < best.a && r.b1 < best.b)
			todo[depth++] = (struct range){ r.a1, best.a, r.b1, best.b };
		if (best.a + best.size < r.a2 && best.b + best.size < r.b2)
			todo[depth++] = (struct range){ best.a + best.size, r.a2,
							best.b + best.size, r.b2 };
	}
	qsort(found, count, sizeof *found, edit_diff_by_place);
	for (size_t i = 0; i < count; i++)
		edit_diff_add_block(d, found[i]);
	d->blocks[d->block_count++] = (struct block){ d->a.count, d->b.count, 0 };
	return MT_OK;
}

/* ---- groups -------------------------------------------------------------------- */

/* A run of lines that are equal (or different) in both. */
struct op {
	bool equal;
	size_t a1, a2, b1, b2;
};

static size_t make_ops(const struct diff *d, struct op *ops)
{
	size_t count = 0, a = 0, b = 0;

	for (size_t i = 0; i < d->block_count; i++) {
		const struct block *m = &d->blocks[i];

		if (a < m->a || b < m->b)
			ops[count++] = (struct op){ false, a, m->a, b, m->b };
		if (m->size)
			ops[count++] = (struct op){ true, m->a, m->a + m->size, m->b,
						    m->b + m->size };
		a = m->a + m->size;
		b = m->b + m->size;
	}
	return count;
}

static void keep_last(struct op *op, size_t lines)
{
	if (op->a2 - op->a1 > lines) {
		op->a1 = op->a2 - lines;
		op->b1 = op->b2 - lines;
	}
}

static void keep_first(struct op *op, size_t lines)
{
	if (op->a2 - op->a1 > lines) {
		op->a2 = op->a1 + lines;
		op->b2 = op->b1 + lines;
	}
}

static void edit_diff_put_lines(struct strbuf *out, const struct text *t, size_t from,
				size_t to, char mark, int width)
{
	for (size_t i = from; i < to; i++) {
		if (mark)
			strbuf_addf(out, "\n%c%*zu|", mark, width - 1, i + 1);
		else
			strbuf_addf(out, "\n%*zu|", width, i + 1);
		strbuf_addn(out, t->lines[i].text, t->lines[i].len);
	}
}

static void put_group(struct strbuf *out, const struct diff *d, const struct op *ops,
		      size_t count, const char *name, size_t number, size_t total)
{
	char digits[32];
	int width = snprintf(digits, sizeof digits, "%zu", ops[count - 1].b1) + 1;

	if (number > 1)
		strbuf_add(out, "\n-------------------------");
	strbuf_addf(out, "\n[begin of %s %zu / %zu]\n(content before %s)", name, number,
		    total, name);
	for (size_t i = 0; i < count; i++)
		edit_diff_put_lines(out, &d->a, ops[i].a1, ops[i].a2,
				    ops[i].equal ? 0 : '-', width);
	strbuf_addf(out, "\n(content after %s)", name);
	for (size_t i = 0; i < count; i++)
		edit_diff_put_lines(out, &d->b, ops[i].b1, ops[i].b2,
				    ops[i].equal ? 0 : '+', width);
	strbuf_addf(out, "\n[end of %s %zu / %zu]", name, number, total);
}

/* Divide the ops into groups. An equal run that is too long to be context of both sides
 * ends one group and starts the next. `out` has room for twice the number of `ops`;
 * `ends` holds the end of each group. @return the number of groups. */
static size_t make_groups(struct op *ops, size_t count, size_t context, struct op *out,
			  size_t *ends)
{
	size_t n = 0, groups = 0, start;

	if (count > 0 && ops[0].equal)
		keep_last(&ops[0], context);
	if (count > 0 && ops[count - 1].equal)
		keep_first(&ops[count - 1], context);
	for (size_t i = 0; i < count; i++) {
		if (ops[i].equal && ops[i].a2 - ops[i].a1 > 2 * context) {
			out[n] = ops[i];
			keep_first(&out[n++], context);
			ends[groups++] = n;
			keep_last(&ops[i], context);
		}
		out[n++] = ops[i];
	}
	start = groups ? ends[groups - 1] : 0;
	if (n > start && !(n == start + 1 && out[start].equal))
		ends[groups++] = n;
	return groups;
}

static void diff_clear(struct diff *d)
{
	free(d->a.lines);
	free(d->b.lines);
	free(d->next);
	free(d->first);
	free(d->run);
	free(d->new_run);
	free(d->blocks);
}

static int edit_diff_compare(struct diff *d, json_object *old, json_object *new)
{
	int status = edit_diff_split(json_object_get_string(old),
				     (size_t)json_object_get_string_len(old), &d->a);

	if (!status)
		status = edit_diff_split(json_object_get_string(new),
					 (size_t)json_object_get_string_len(new), &d->b);
	if (status)
		return status;
	d->next = calloc(d->b.count, sizeof *d->next);
	d->first = calloc(d->a.count, sizeof *d->first);
	d->run = calloc(d->b.count + 1, sizeof *d->run);
	d->new_run = calloc(d->b.count + 1, sizeof *d->new_run);
	if (!d->next || !d->first || !d->run || !d->new_run)
		return MT_ENOMEM;
	status = chain(d);
	return status ? status : edit_diff_match(d);
}

/* ---- the text ---------------------------------------------------------------------- */

static void edit_diff_put_head(struct strbuf *out, const char *path, bool applied,
			       size_t groups)
{
	if (applied)
		strbuf_addf(out, "[Existing file %s is edited with %zu changes.]", path,
			    groups);
	else
		strbuf_addf(out,
			    "[Changes are NOT applied to %s - Here's how the file looks "
			    "like if changes are applied.]",
			    path);
}

static int put_diff(const struct diff *d, const char *path, size_t context, bool applied,
		    struct strbuf *out)
{
	size_t room = d->block_count * 2 + 1;
	AUTO(free) struct op *ops = calloc(room, sizeof *ops);
	AUTO(free) struct op *grouped = calloc(room * 2, sizeof *grouped);
	AUTO(free) size_t *ends = calloc(room, sizeof *ends);
	size_t groups;

	if (!ops || !grouped || !ends)
		return MT_ENOMEM;
	groups = make_groups(ops, make_ops(d, ops), context, grouped, ends);
	edit_diff_put_head(out, path, applied, groups);
	for (size_t i = 0, start = 0; i < groups; start = ends[i++])
		put_group(out, d, grouped + start, ends[i] - start,
			  applied ? "edit" : "ATTEMPTED edit", i + 1, groups);
	return out->error;
}

int event_edit_text(const struct event *e, size_t context, bool applied,
		    struct strbuf *out)
{
	json_object *extras = event_args(e), *old = js_get(extras, "old_content");
	json_object *new = js_get(extras, "new_content");
	struct diff d = { 0 };
	int status;

	if (applied && js_equal(old, new))
		return strbuf_add(
			out, "(no changes detected. Please make sure your edits change "
			     "the content of the existing file.)\n");
	if (!json_object_is_type(old, json_type_string) ||
	    !json_object_is_type(new, json_type_string)) {
		edit_diff_put_head(out, event_arg(e, "path"), applied, 0);
		return out->error;
	}
	status = edit_diff_compare(&d, old, new);
	if (!status)
		status = put_diff(&d, event_arg(e, "path"), context, applied, out);
	else if (status == MT_ELIMIT)
		status = strbuf_addf(out,
				     "[File %s is edited; it is too long to show what "
				     "changed.]",
				     event_arg(e, "path"));
	diff_clear(&d);
	return status;
}
