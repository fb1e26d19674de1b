/* SPDX-License-Identifier: MIT
 *
 * tree.c - the entries of a directory as an object, and the difference of two trees. */
#include "snapshot/snapshot-internal.h"

#include "array.h"

#include <endian.h>
#include <string.h>

static const char magic[8] = "MTREE1\n";

/* An item as it is stored, before its name. */
struct tree_record {
	uint8_t type, pad[3];
	uint32_t mode;
	uint32_t mtime_ns, pad2;
	uint64_t mtime_s, size;
	unsigned char hash[SHA256_BYTES];
} __attribute__((packed));

void tree_clear(struct tree *t)
{
	free(t->items);
	free(t->text);
	*t = (struct tree){ 0 };
}

void tree_put(struct strbuf *out, const struct tree_item *item)
{
	struct tree_record r = {
		.type = (uint8_t)item->type, .mode = htole32(item->mode),
		.mtime_ns = htole32(item->mtime_ns),
		.mtime_s = htole64((uint64_t)item->mtime_s),
		.size = htole64(item->size),
	};

	memcpy(r.hash, item->hash, sizeof r.hash);
	if (!out->len)
		strbuf_addn(out, magic, sizeof magic);
	strbuf_addn(out, (const char *)&r, sizeof r);
	strbuf_addn(out, item->name, strlen(item->name) + 1);
}

static bool tree_is_name(const char *name, const struct tree_item *before)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && (!before || strcmp(before->name, name) < 0);
}

static int tree_add(struct tree *t, const struct tree_record *r, const char *name)
{
	struct tree_item item = {
		.type = r->type, .mode = le32toh(r->mode), .mtime_ns = le32toh(r->mtime_ns),
		.mtime_s = (int64_t)le64toh(r->mtime_s), .size = le64toh(r->size),
		.name = name,
	};

	if (!r->type || !strchr("fldu", r->type) || item.mtime_ns > 999999999 ||
	    !tree_is_name(name, t->count ? &t->items[t->count - 1] : NULL))
		return MT_EINVAL;
	memcpy(item.hash, r->hash, sizeof item.hash);
	if (ARRAY_GROW(t->items, &t->room, t->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	t->items[t->count++] = item;
	return MT_OK;
}

static int tree_parse(struct tree *t, size_t len)
{
	size_t at = sizeof magic;
	int r = MT_OK;

	if (len == 0)
		return MT_OK;
	if (len < sizeof magic || memcmp(t->text, magic, sizeof magic) != 0)
		return MT_EINVAL;
	while (!r && at < len) {
		struct tree_record record;
		const char *name, *end;

		if (len - at <= sizeof record)
			return MT_EINVAL;
		memcpy(&record, t->text + at, sizeof record);
		name = t->text + at + sizeof record;
		end = memchr(name, '\0', len - at - sizeof record);
		if (!end)
			return MT_EINVAL;
		r = tree_add(t, &record, name);
		at = (size_t)(end + 1 - t->text);
	}
	return r;
}

int tree_read(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES],
	      struct tree *ret, struct error *err)
{
	size_t len;
	int r;

	*ret = (struct tree){ 0 };
	r = snapshot_read(s, hash, SNAPSHOT_TREE_MAX, &ret->text, &len, err);
	if (r)
		return r;
	r = tree_parse(ret, len);
	if (r) {
		tree_clear(ret);
		return r == MT_ENOMEM ? out_of_memory(err)
				      : fail(err, r, "a tree of a snapshot is malformed");
	}
	return MT_OK;
}

int tree_root(struct snapshot_store *s, const unsigned char root[SHA256_BYTES],
	      struct tree *ret, struct error *err)
{
	int r = tree_read(s, root, ret, err);
	bool good = !r && ret->count;

	for (size_t i = 0; good && i < ret->count; i++)
		good = ret->items[i].type == TREE_DIRECTORY;
	if (!r && !good) {
		tree_clear(ret);
		r = fail(err, MT_EINVAL, "the root of a snapshot is malformed");
	}
	return r;
}

static const char workspace_name[] = "workspace";

int tree_root_name(const char *path, struct strbuf *out)
{
	for (const char *p = path; p && *p; p++) {
		if (*p == '/' || *p == '%')
			strbuf_addf(out, "%%%02X", (unsigned)*p);
		else
			strbuf_addc(out, *p);
	}
	return path ? out->error : strbuf_add(out, workspace_name);
}

int tree_root_path(const char *name, struct strbuf *out)
{
	if (strcmp(name, workspace_name) == 0)
		return MT_OK;
	for (const char *p = name; *p; p++) {
		if (*p != '%')
			strbuf_addc(out, *p);
		else if (strncmp(p, "%2F", 3) == 0 || strncmp(p, "%25", 3) == 0)
			strbuf_addc(out, p[2] == 'F' ? '/' : '%'), p += 2;
		else
			return MT_EINVAL;
	}
	return out->error ? out->error : *out->text == '/' ? MT_OK : MT_EINVAL;
}

bool tree_next(const struct tree *a, const struct tree *b, size_t *i, size_t *j,
	       const struct tree_item **ret_a, const struct tree_item **ret_b)
{
	const struct tree_item *x = *i < a->count ? &a->items[*i] : NULL;
	const struct tree_item *y = *j < b->count ? &b->items[*j] : NULL;
	int order = !x ? 1 : !y ? -1 : strcmp(x->name, y->name);

	*ret_a = order <= 0 ? x : NULL;
	*ret_b = order >= 0 ? y : NULL;
	*i += *ret_a != NULL;
	*j += *ret_b != NULL;
	return *ret_a || *ret_b;
}

bool tree_same_time(const struct tree_item *a, const struct tree_item *b)
{
	return a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns;
}

const char *tree_left_out_text(uint32_t reason)
{
	static const char *const texts[] = {
		[LEFT_LARGE] = "larger than snapshot_file",
		[LEFT_FULL] = "snapshot_disk is used up",
		[LEFT_UNREADABLE] = "not readable",
		[LEFT_SPECIAL] = "a device, pipe or socket",
		[LEFT_DEVICE] = "another file system",
		[LEFT_DEEP] = "too deep",
	};

	return reason < ARRAY_LEN(texts) && texts[reason] ? texts[reason] : "not covered";
}

/* ---- the difference ------------------------------------------------------ */

struct comparison {
	struct snapshot_store *s;
	snapshot_change_fn *fn;
	void *arg;
	struct strbuf path;
	struct error *err;
};

static int compare_trees(struct comparison *c, const struct tree_item *from,
			 const struct tree_item *to, unsigned depth);

static bool tree_is_directory(const struct tree_item *item)
{
	return item && item->type == TREE_DIRECTORY;
}

static int compare_items(struct comparison *c, const struct tree_item *a,
			 const struct tree_item *b, unsigned depth)
{
	struct snapshot_change change = { .from = a, .to = b, .content = true };
	bool same = a && b && a->type == b->type &&
		    memcmp(a->hash, b->hash, SHA256_BYTES) == 0;
	int r = MT_OK;

	change.path = c->path.text;
	change.content = !same && !(tree_is_directory(a) && tree_is_directory(b));
	if (!same ||
	    (a->type != TREE_LEFT_OUT && (a->mode != b->mode || !tree_same_time(a, b))))
		r = c->fn(c->arg, &change, c->err);
	if (!r && !same && (tree_is_directory(a) || tree_is_directory(b)))
		r = compare_trees(c, tree_is_directory(a) ? a : NULL,
				  tree_is_directory(b) ? b : NULL, depth + 1);
	return r;
}

static int compare_trees(struct comparison *c, const struct tree_item *from,
			 const struct tree_item *to, unsigned depth)
{
	AUTO(tree) struct tree a = { 0 }, b = { 0 };
	const struct tree_item *x, *y;
	size_t i = 0, j = 0, len = c->path.len;
	int r = from ? tree_read(c->s, from->hash, &a, c->err) : MT_OK;

	if (!r && to)
		r = tree_read(c->s, to->hash, &b, c->err);
	if (!r && depth > SNAPSHOT_DEPTH_MAX)
		r = fail(c->err, MT_EINVAL, "a tree of a snapshot is too deep");
	while (!r && tree_next(&a, &b, &i, &j, &x, &y)) {
		if (strbuf_addf(&c->path, "%s%s", len ? "/" : "", x ? x->name : y->name))
			return out_of_memory(c->err);
		r = compare_items(c, x, y, depth);
		strbuf_cut(&c->path, len);
	}
	return r;
}

int snapshot_compare(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		     const unsigned char to[SHA256_BYTES], snapshot_change_fn *fn,
		     void *arg, struct error *err)
{
	AUTO(tree) struct tree a = { 0 }, b = { 0 };
	struct comparison c = { .s = s, .fn = fn, .arg = arg, .err = err,
				.path = STRBUF(SNAPSHOT_PATH_MAX * 4) };
	const struct tree_item *x, *y;
	size_t i = 0, j = 0;
	int r = tree_root(s, from, &a, err);

	if (!r)
		r = tree_root(s, to, &b, err);
	/* A directory of which one state knows nothing does not differ. */
	while (!r && tree_next(&a, &b, &i, &j, &x, &y)) {
		if (!x || !y || memcmp(x->hash, y->hash, SHA256_BYTES) == 0)
			continue;
		strbuf_reset(&c.path);
		r = tree_root_path(x->name, &c.path);
		r = r ? fail(err, r, "the root of a snapshot is malformed")
		      : compare_trees(&c, x, y, 0);
	}
	strbuf_clear(&c.path);
	return r;
}
