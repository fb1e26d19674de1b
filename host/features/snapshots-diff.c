/* SPDX-License-Identifier: MIT
 *
 * snapshots-diff.c - the difference of two states of the workspace as a unified diff. */
#include "features/snapshots-diff.h"

#include "text/diff.h"

#include <string.h>

enum {
	TEXT_MAX = 64 << 20,
	LOOK_BYTES = 8000,      /* in which a binary file has a zero */
};

struct differ {
	struct snapshot_store *s;
	snapshots_diff_fn *fn;
	void *arg;
};

void snapshots_side_clear(struct snapshots_side *s)
{
	free(s->text);
	*s = (struct snapshots_side){ 0 };
}

static bool diff_is_leaf(const struct tree_item *item)
{
	return item && (item->type == TREE_FILE || item->type == TREE_LINK);
}

static int diff_read(struct differ *d, const struct tree_item *item, bool content,
		     struct snapshots_side *ret, struct error *err)
{
	struct error why = ERROR_NONE;
	int r;

	if (!diff_is_leaf(item))
		return MT_OK;
	ret->exists = true;
	ret->mode = item->mode;
	if (!content)
		return MT_OK;
	r = snapshot_read(d->s, item->hash, SNAPSHOTS_SIDE_MAX, &ret->text, &ret->len,
			  &why);
	if (r == MT_ENOMEM)
		return out_of_memory(err);
	ret->binary = r != MT_OK;
	return MT_OK;
}

static void diff_name(struct strbuf *out, const char *prefix, const char *path,
		      const struct snapshots_side *side)
{
	if (side->exists)
		strbuf_addf(out, "%s%s", prefix, path);
	else
		strbuf_add(out, "/dev/null");
}

static void diff_count(struct snapshots_file_diff *f)
{
	const char *end = f->text.ptr + f->text.len, *line = f->text.ptr;
	bool body = false;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));

		body = body || strncmp(line, "@@ ", 3) == 0;
		f->added += body && *line == '+';
		f->removed += body && *line == '-';
		line = next ? next + 1 : end;
	}
}

static bool diff_is_binary(const struct snapshots_side *s)
{
	return s->binary ||
	       (s->text &&
		memchr(s->text, '\0', s->len < LOOK_BYTES ? s->len : LOOK_BYTES));
}

/* The diff of the contents; without lines if they cannot be shown. */
static int diff_contents(struct snapshots_file_diff *f, const struct snapshots_side *a,
			 const struct snapshots_side *b, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf from = STRBUF(1 << 17), to = STRBUF(1 << 17);
	size_t at = out->len;
	int r = MT_ELIMIT;

	diff_name(&from, "a/", f->path, a);
	diff_name(&to, "b/", f->path, b);
	if (!diff_is_binary(a) && !diff_is_binary(b))
		r = diff_unified((struct mt_str){ a->text ? a->text : "", a->len },
				 (struct mt_str){ b->text ? b->text : "", b->len },
				 from.text, to.text, out);
	if (r == MT_OK && out->len == at) /* an empty file */
		strbuf_addf(out, "--- %s\n+++ %s\n", from.text, to.text);
	if (r != MT_ELIMIT)
		return r;
	f->added = f->removed = -1;
	out->error = MT_OK;
	strbuf_cut(out, at);
	return strbuf_addf(out, "Files %s and %s differ\n", from.text, to.text);
}

int snapshots_diff_sides(const char *path, const struct snapshots_side *from,
			 const struct snapshots_side *to, bool content,
			 snapshots_diff_fn *fn, void *arg, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);
	struct snapshots_file_diff f = { .path = path, .change = "changed" };

	if (!from->exists || !to->exists)
		f.change = to->exists ? "added" : "removed";
	if (from->exists && to->exists && from->mode != to->mode)
		strbuf_addf(&text, "mode %04o -> %04o %s\n", from->mode, to->mode, path);
	if (!content && !text.len)
		return MT_OK; /* only its time */
	if (!content)
		f.change = "mode";
	else if (diff_contents(&f, from, to, &text))
		return out_of_memory(err);
	f.text = (struct mt_str){ text.text, text.len };
	if (f.added >= 0)
		diff_count(&f);
	return fn(arg, &f, err);
}

static int diff_change(struct differ *d, const struct snapshot_change *change,
		       struct error *err)
{
	AUTO(snapshots_side) struct snapshots_side a = { 0 }, b = { 0 };

	if (diff_read(d, change->from, change->content, &a, err) ||
	    diff_read(d, change->to, change->content, &b, err))
		return err->code;
	return snapshots_diff_sides(change->path, &a, &b, change->content, d->fn, d->arg,
				    err);
}

static int diff_on_change(void *arg, const struct snapshot_change *change,
			  struct error *err)
{
	return diff_is_leaf(change->from) || diff_is_leaf(change->to)
		       ? diff_change(arg, change, err)
		       : MT_OK;
}

int snapshots_diff(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		   const unsigned char to[SHA256_BYTES], snapshots_diff_fn *fn, void *arg,
		   struct error *err)
{
	struct differ d = { .s = s, .fn = fn, .arg = arg };

	return snapshot_compare(s, from, to, diff_on_change, &d, err);
}
