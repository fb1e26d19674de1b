/* SPDX-License-Identifier: MIT
 *
 * take.c - takes a snapshot: walks the workspace without following links, and stores
 * what has changed since the last time. */
#include "snapshot/snapshot-internal.h"

#include "array.h"
#include "text/ignore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

enum {
	RACY_MS = 20,       /* the kernel's clock of times of files may be as coarse */
	RACY_COARSE_MS = 2000, /* of a file system that stores whole seconds */
	ROOTS_TAKEN_MAX = 64,  /* directories of a conversation */
};

struct take {
	struct snapshot_store *s;
	struct snapshot_state *state;
	struct stat_cache cache;
	struct strbuf records; /* the next cache */
	struct strbuf path;
	size_t base;           /* bytes of `path` above the names in its directory */
	struct stat top, except;
	int64_t read;          /* bytes */
	struct error *err;
};

/* A directory that is being read. */
struct level {
	int fd;
	const struct ignore *rules;
	bool ignored;          /* only what the last snapshot has is covered */
	unsigned depth;
};

static int take_directory(struct take *t, const struct level *l,
			  unsigned char ret[SHA256_BYTES]);

/* ---- one item ------------------------------------------------------------------- */

static void take_leave_out(struct take *t, enum left_out why, struct tree_item *item)
{
	const char *name = item->name;

	*item = (struct tree_item){ .type = TREE_LEFT_OUT, .mode = why, .name = name };
	snapshot_names_add(&t->state->left_out, t->path.text, tree_left_out_text(why));
}

/* Could the file be changed later without another time? */
static bool is_racy(const struct stat *st, const struct timespec *now)
{
	int64_t now_ms = (int64_t)now->tv_sec * 1000 + now->tv_nsec / 1000000;
	bool coarse = st->st_mtim.tv_nsec == 0 && st->st_ctim.tv_nsec == 0;
	int64_t ms = (int64_t)st->st_ctim.tv_sec * 1000 + st->st_ctim.tv_nsec / 1000000;
	int64_t written =
		(int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;

	if (written > ms && written <= now_ms)
		ms = written;
	return ms + (coarse ? RACY_COARSE_MS : RACY_MS) >= now_ms;
}

static struct cached take_stat_record(const struct stat *st, enum tree_type type)
{
	return (struct cached){
		.ino = st->st_ino, .size = (uint64_t)st->st_size,
		.mtime_s = st->st_mtim.tv_sec, .mtime_ns = (uint32_t)st->st_mtim.tv_nsec,
		.ctime_s = st->st_ctim.tv_sec, .ctime_ns = (uint32_t)st->st_ctim.tv_nsec,
		.mode = st->st_mode & 07777, .type = (uint8_t)type,
	};
}

static bool take_is_unchanged(const struct cached *a, const struct cached *b)
{
	return a->type == b->type && !a->racy && a->ino == b->ino && a->size == b->size &&
	       a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns &&
	       a->ctime_s == b->ctime_s && a->ctime_ns == b->ctime_ns;
}

static void take_describe(struct tree_item *item, const struct stat *st,
			  enum tree_type type)
{
	item->type = type;
	item->mode = st->st_mode & 07777;
	item->mtime_s = st->st_mtim.tv_sec;
	item->mtime_ns = (uint32_t)st->st_mtim.tv_nsec;
	item->size = type == TREE_DIRECTORY ? 0 : (uint64_t)st->st_size;
}

static enum left_out take_reason(int status)
{
	return status == MT_ELIMIT ? LEFT_FULL : LEFT_UNREADABLE;
}

/* Read the file and store its content. `st` becomes the state after reading. */
static int take_content(struct take *t, const struct level *l, struct tree_item *item,
			struct stat *st, struct cached *record)
{
	AUTO(close) int fd =
		openat(l->fd, item->name,
		       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct error why = ERROR_NONE;
	struct timespec now;
	uint64_t size = 0;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	if (fd < 0 || fstat(fd, st) || !S_ISREG(st->st_mode))
		return LEFT_UNREADABLE;
	t->read += st->st_size;
	if (t->s->o.quick && t->read > t->s->o.quick)
		return fail(t->err, MT_ELIMIT, "too much to read");
	r = object_put_file(t->s, fd, (uint64_t)st->st_size, item->hash, &size, &why);
	if (r == MT_ENOMEM || (r == MT_ELIMIT && t->s->o.quick))
		return fail(t->err, r, "%s", error_text(&why));
	if (r)
		return (int)take_reason(r);
	*record = take_stat_record(st, TREE_FILE);
	record->racy = size != (uint64_t)st->st_size || is_racy(st, &now);
	memcpy(record->hash, item->hash, SHA256_BYTES);
	st->st_size = (off_t)size;
	return MT_OK;
}

/* @return MT_OK, or a status that ends the snapshot */
static int take_regular(struct take *t, const struct level *l, struct tree_item *item,
			struct stat *st)
{
	struct cached old = { 0 }, record = take_stat_record(st, TREE_FILE);
	int r = MT_OK;

	if (st->st_size > t->s->o.file) {
		take_leave_out(t, LEFT_LARGE, item);
		return MT_OK;
	}
	if (stat_cache_find(&t->cache, t->path.text, &old) &&
	    take_is_unchanged(&old, &record)) {
		memcpy(item->hash, old.hash, SHA256_BYTES);
		memcpy(record.hash, old.hash, SHA256_BYTES);
	} else {
		r = take_content(t, l, item, st, &record);
	}
	if (r < 0)
		return r;
	if (r > 0) {
		take_leave_out(t, (enum left_out)r, item);
		return MT_OK;
	}
	take_describe(item, st, TREE_FILE);
	stat_cache_add(&t->records, &record, t->path.text);
	t->state->bytes += st->st_size;
	if (++t->state->files > t->s->o.files)
		return fail(t->err, MT_ELIMIT,
			    "the workspace has more than snapshot_files = %lld files",
			    (long long)t->s->o.files);
	return MT_OK;
}

static int take_link(struct take *t, const struct level *l, struct tree_item *item,
		     const struct stat *st)
{
	struct cached record = take_stat_record(st, TREE_LINK);
	char target[PATH_MAX];
	ssize_t n = readlinkat(l->fd, item->name, target, sizeof target);
	int r = n < 0 || n == sizeof target ? MT_EIO
					    : object_put(t->s, OBJECT_SMALL, target,
							 (size_t)n, item->hash, NULL);

	if (r == MT_ENOMEM)
		return out_of_memory(t->err);
	if (r) {
		take_leave_out(t, take_reason(r), item);
		return MT_OK;
	}
	take_describe(item, st, TREE_LINK);
	memcpy(record.hash, item->hash, SHA256_BYTES);
	stat_cache_add(&t->records, &record, t->path.text);
	t->state->files++;
	return MT_OK;
}

static bool take_is_excepted(const struct take *t, const struct stat *st)
{
	return t->except.st_ino && st->st_ino == t->except.st_ino &&
	       st->st_dev == t->except.st_dev;
}

static int take_subdirectory(struct take *t, const struct level *l,
			     struct tree_item *item, const struct stat *st, bool ignored)
{
	struct level below = { .rules = l->rules, .ignored = ignored,
			       .depth = l->depth + 1 };
	struct cached record = take_stat_record(st, TREE_DIRECTORY);
	int r;

	if (st->st_dev != t->top.st_dev || below.depth > SNAPSHOT_DEPTH_MAX) {
		take_leave_out(t, st->st_dev != t->top.st_dev ? LEFT_DEVICE : LEFT_DEEP,
			       item);
		return MT_OK;
	}
	below.fd = openat(l->fd, item->name,
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (below.fd < 0) {
		take_leave_out(t, LEFT_UNREADABLE, item);
		return MT_OK;
	}
	r = take_directory(t, &below, item->hash);
	if (r)
		return r;
	take_describe(item, st, TREE_DIRECTORY);
	memcpy(record.hash, item->hash, SHA256_BYTES);
	stat_cache_add(&t->records, &record, t->path.text);
	return MT_OK;
}

/* *ret_covered false: nothing of it is in the tree */
static int take_item(struct take *t, const struct level *l, struct tree_item *item,
		     bool *ret_covered)
{
	struct cached old;
	struct stat st;
	bool ignored, known; /* as with git, a covered file stays covered */

	*ret_covered = false;
	if (fstatat(l->fd, item->name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (S_ISDIR(st.st_mode) && take_is_excepted(t, &st)))
		return MT_OK;
	ignored = l->ignored ||
		  ignore_has(l->rules, t->path.text + t->base, S_ISDIR(st.st_mode));
	known = !ignored || stat_cache_find(&t->cache, t->path.text, &old);
	if (ignored && !l->ignored && (!known || S_ISDIR(st.st_mode)))
		snapshot_names_add(&t->state->ignored, t->path.text, NULL);
	if (!known)
		return MT_OK;
	*ret_covered = true;
	if (S_ISREG(st.st_mode))
		return take_regular(t, l, item, &st);
	if (S_ISLNK(st.st_mode))
		return take_link(t, l, item, &st);
	if (S_ISDIR(st.st_mode))
		return take_subdirectory(t, l, item, &st, ignored);
	take_leave_out(t, LEFT_SPECIAL, item);
	return MT_OK;
}

/* ---- one directory ---------------------------------------------------------------- */

struct names {
	char **list;
	size_t count, room;
};

static void take_names_clear(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
}

static int take_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool take_is_skipped(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strcmp(name, ".git") == 0;
}

static int take_list(struct take *t, DIR *dir, struct names *ret)
{
	struct dirent *d;

	while ((d = readdir(dir))) {
		if (take_is_skipped(d->d_name))
			continue;
		if (ARRAY_GROW(ret->list, &ret->room, ret->count + 1, ARRAY_MAX) ||
		    !(ret->list[ret->count] = strdup(d->d_name)))
			return out_of_memory(t->err);
		ret->count++;
		if (t->s->o.quick && (int64_t)ret->count > 4 * t->s->o.files)
			return fail(t->err, MT_ELIMIT, "too many files");
	}
	if (ret->count)
		qsort(ret->list, ret->count, sizeof *ret->list, take_by_name);
	return MT_OK;
}

/* The tree of the directory as text. */
static int take_items(struct take *t, const struct level *l, const struct names *names,
		      struct strbuf *tree)
{
	size_t len = t->path.len;
	int r = MT_OK;

	for (size_t i = 0; !r && i < names->count; i++) {
		struct tree_item item = { .name = names->list[i] };
		bool covered = false;

		if (strbuf_addf(&t->path, "%s%s", len ? "/" : "", item.name)) {
			t->path.error = MT_OK; /* its path is too long */
			strbuf_cut(&t->path, len);
			take_leave_out(t, LEFT_DEEP, &item);
			covered = true;
		} else {
			r = take_item(t, l, &item, &covered);
		}
		strbuf_cut(&t->path, len);
		if (!r && covered)
			tree_put(tree, &item);
	}
	return r ? r : tree->error ? out_of_memory(t->err) : MT_OK;
}

static int take_read(struct take *t, struct level *l, DIR *dir, struct strbuf *tree)
{
	struct names names = { 0 };
	struct ignore rules;
	size_t depth = t->path.len > t->base ? t->path.len + 1 - t->base : 0;
	int r = take_list(t, dir, &names);

	if (!r && ignore_open(&rules, l->rules, l->fd, depth))
		r = out_of_memory(t->err);
	if (!r) {
		l->rules = &rules;
		r = take_items(t, l, &names, tree);
		ignore_close(&rules);
	}
	take_names_clear(&names);
	return r;
}

/* Takes the descriptor. */
static int take_directory(struct take *t, const struct level *l,
			  unsigned char ret[SHA256_BYTES])
{
	AUTO(strbuf) struct strbuf tree = STRBUF(SNAPSHOT_TREE_MAX);
	struct level own = *l;
	DIR *dir = fdopendir(l->fd);
	int r;

	if (!dir) {
		close(l->fd);
		return out_of_memory(t->err);
	}
	r = take_read(t, &own, dir, &tree);
	closedir(dir);
	return r ? r : object_put(t->s, OBJECT_TREE, tree.text, tree.len, ret, t->err);
}

/* ---- the workspace ------------------------------------------------------------------ */

/* Take one directory of the conversation; `root` NULL: the workspace. */
static int take_top_open(struct take *t, const char *root, struct tree_item *item)
{
	const char *path = root ? root : t->s->o.workspace;
	struct level l = { .fd = -1 };
	struct ignore *above = NULL;
	char real[PATH_MAX];
	int r;

	l.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (root ? O_NOFOLLOW : 0));
	if (l.fd < 0 || fstat(l.fd, &t->top) ||
	    (root && (!realpath(root, real) || strcmp(root, real) != 0))) {
		auto_close(&l.fd);
		return fail(t->err, MT_EIO, "cannot read %s: %s", path, strerror(errno));
	}
	if (ignore_above(path, &above)) {
		close(l.fd);
		return out_of_memory(t->err);
	}
	strbuf_reset(&t->path);
	t->base = root ? strlen(root) + 1 : 0;
	l.rules = above;
	r = root && strbuf_add(&t->path, root) ? out_of_memory(t->err)
					       : take_directory(t, &l, item->hash);
	ignore_free_above(above);
	if (!r)
		take_describe(item, &t->top, TREE_DIRECTORY);
	return r;
}

/* A directory other than the workspace that cannot be read is left out. */
static int take_root(struct take *t, const char *root, struct strbuf *tree)
{
	AUTO(strbuf) struct strbuf name = STRBUF(3 * PATH_MAX);
	struct tree_item item = { 0 };
	struct error *err = t->err, why = ERROR_NONE;
	int r = tree_root_name(root, &name);

	if (r)
		return out_of_memory(t->err);
	item.name = name.text;
	t->err = &why;
	r = take_top_open(t, root, &item);
	t->err = err;
	if (r == MT_EIO && root) {
		snapshot_names_add(&t->state->left_out, root,
				   tree_left_out_text(LEFT_UNREADABLE));
		return MT_OK;
	}
	if (!r)
		tree_put(tree, &item);
	return r ? fail(err, r, "%s", error_text(&why)) : MT_OK;
}

struct root_names {
	char *list[ROOTS_TAKEN_MAX]; /* as in the tree of a root, sorted; owned */
	size_t count;
};

static void auto_root_names(struct root_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
}

static int take_root_name(struct root_names *n, const char *name)
{
	if (n->count == ARRAY_LEN(n->list))
		return MT_OK;
	n->list[n->count] = strdup(name);
	return n->list[n->count] ? (n->count++, MT_OK) : MT_ENOMEM;
}

/* The names of all directories, in the order of a tree. */
static int take_find_roots(struct take *t, struct root_names *ret)
{
	const struct snapshot_store *s = t->s;
	AUTO(tree) struct tree last = { 0 };
	int r = s->o.roots ? take_root_name(ret, "workspace") : MT_OK;

	for (size_t i = 0; !r && s->o.roots && s->o.roots[i]; i++) {
		AUTO(strbuf) struct strbuf name = STRBUF(3 * PATH_MAX);

		r = tree_root_name(s->o.roots[i], &name);
		if (!r)
			r = take_root_name(ret, name.text);
	}
	if (!r && !s->o.roots && s->count &&
	    tree_root(t->s, s->entries[s->count - 1].root, &last, NULL) == MT_OK)
		for (size_t i = 0; !r && i < last.count; i++)
			r = take_root_name(ret, last.items[i].name);
	else if (!r && !s->o.roots)
		r = take_root_name(ret, "workspace");
	if (r)
		return out_of_memory(t->err);
	qsort(ret->list, ret->count, sizeof *ret->list, take_by_name);
	return MT_OK;
}

static int snapshot_take_top(struct take *t)
{
	AUTO(strbuf) struct strbuf tree = STRBUF(SNAPSHOT_TREE_MAX);
	AUTO(root_names) struct root_names names = { 0 };
	int r = take_find_roots(t, &names);

	for (size_t i = 0; !r && i < names.count; i++) {
		AUTO(strbuf) struct strbuf path = STRBUF(3 * PATH_MAX);

		if (i && strcmp(names.list[i], names.list[i - 1]) == 0)
			continue;
		r = tree_root_path(names.list[i], &path)
			    ? out_of_memory(t->err)
			    : take_root(t, path.len ? path.text : NULL, &tree);
	}
	if (r)
		return r;
	return object_put(t->s, OBJECT_TREE, tree.text, tree.len, t->state->root, t->err);
}

/* The size of the store as the cache knows it; counted if the process that used the store
 * last was killed. */
static int take_open_cache(struct take *t)
{
	int r = stat_cache_load(t->s->fd, &t->cache);

	if (r == MT_ENOMEM)
		return out_of_memory(t->err);
	t->s->counting = faccessat(t->s->fd, "counting", F_OK, 0) == 0;
	t->s->used = t->cache.used;
	if (r || t->s->counting)
		object_count_used(t->s);
	stat_cache_begin(&t->records);
	return MT_OK;
}

static int take_close_cache(struct take *t)
{
	int r = stat_cache_save(t->s->fd, &t->cache, &t->records, t->s->used, t->err);

	if (!r && t->s->counting) {
		unlinkat(t->s->fd, "counting", 0);
		t->s->counting = false;
	}
	return r;
}

int snapshot_make(struct snapshot_store *s, struct snapshot_state *ret, struct error *err)
{
	struct take t = { .s = s, .state = ret, .err = err,
			  .records = STRBUF(SNAPSHOT_CACHE_MAX),
			  .path = STRBUF(SNAPSHOT_PATH_MAX) };
	int r;

	*ret = (struct snapshot_state){ 0 };
	if (s->o.except && stat(s->o.except, &t.except))
		t.except = (struct stat){ 0 };
	r = take_open_cache(&t);
	s->cache = &t.cache;
	s->taken = &t.records;
	s->full = false;
	if (!r)
		r = snapshot_take_top(&t);
	if (!r)
		r = take_close_cache(&t);
	s->cache = NULL;
	s->taken = NULL;
	stat_cache_clear(&t.cache);
	strbuf_clear(&t.records);
	strbuf_clear(&t.path);
	if (r)
		snapshot_state_clear(ret);
	return r;
}
