/* SPDX-License-Identifier: MIT
 *
 * store.c - opens a store of snapshots, and keeps its index and its limit. */
#include "snapshot/snapshot-internal.h"

#include "array.h"
#include "clock.h"
#include "files.h"
#include "hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

enum {
	LOCK_MS = 30000, /* maximum wait for another process */
	LOCK_STEP_MS = 5,
	INDEX_MAX = 64 << 20,
	ENTRIES_MAX = 200000,
	LINE_ROOM = 256,
};

static const char *const kinds[] = { "start", "step", "rest", "undo" };

/* ---- lists of paths -------------------------------------------------------- */

void snapshot_names_clear(struct snapshot_names *n)
{
	for (size_t i = 0; i < SNAPSHOT_NAMES_MAX; i++)
		free(n->list[i]);
	*n = (struct snapshot_names){ 0 };
}

void snapshot_names_add(struct snapshot_names *n, const char *path, const char *why)
{
	if (n->count++ < SNAPSHOT_NAMES_MAX) {
		AUTO(strbuf) struct strbuf text = STRBUF(SNAPSHOT_PATH_MAX * 2);

		strbuf_addf(&text, why ? "%s (%s)" : "%s", path, why);
		n->list[n->count - 1] = strbuf_take(&text);
	}
}

void snapshot_state_clear(struct snapshot_state *s)
{
	snapshot_names_clear(&s->ignored);
	snapshot_names_clear(&s->left_out);
	*s = (struct snapshot_state){ 0 };
}

/* ---- the index ------------------------------------------------------------- */

static bool snapshot_parse_root(const char *text, unsigned char ret[SHA256_BYTES])
{
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		ret[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* A line: NUMBER EVENT KIND TIME ROOT. A malformed one is skipped. */
static int snapshot_parse_line(struct snapshot_store *s, const char *line)
{
	struct snapshot_entry e = { 0 };
	char kind[16], root[2 * SHA256_BYTES + 1];
	size_t k = 0;

	if (sscanf(line, "%" SCNd64 " %" SCNd64 " %15s %" SCNd64 " %64s", &e.number,
		   &e.event, kind, &e.time_s, root) != 5 ||
	    strlen(root) != 2 * SHA256_BYTES || !snapshot_parse_root(root, e.root) ||
	    e.number <= s->last_number)
		return MT_OK;
	while (k < ARRAY_LEN(kinds) && strcmp(kinds[k], kind) != 0)
		k++;
	if (k == ARRAY_LEN(kinds))
		return MT_OK;
	e.kind = (enum snapshot_kind)k;
	if (ARRAY_GROW(s->entries, &s->room, s->count + 1, ENTRIES_MAX))
		return MT_ENOMEM;
	s->entries[s->count++] = e;
	s->last_number = e.number;
	return MT_OK;
}

/* An unfinished last line, of a process that was killed, is cut off. */
static int snapshot_read_index(struct snapshot_store *s, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(INDEX_MAX);
	size_t whole;
	ssize_t n = 1;
	int r = MT_OK;

	while (n && !text.error && !strbuf_reserve(&text, 1 << 16)) {
		n = read(s->index_fd, text.text + text.len, 1 << 16);
		if (n < 0 && errno != EINTR)
			return fail(err, MT_EIO, "cannot read the index of snapshots: %s",
				    strerror(errno));
		text.len += n > 0 ? (size_t)n : 0;
		text.text[text.len] = '\0';
	}
	if (text.error)
		return out_of_memory(err);
	for (whole = text.len; whole > 0 && text.text[whole - 1] != '\n';)
		whole--;
	if (whole < text.len && ftruncate(s->index_fd, (off_t)whole))
		return fail(err, MT_EIO, "cannot repair the index of snapshots: %s",
			    strerror(errno));
	strbuf_cut(&text, whole);
	for (char *line = text.text, *end; !r && *line; line = end + 1) {
		end = strchrnul(line, '\n');
		if (!*end)
			break;
		*end = '\0';
		r = snapshot_parse_line(s, line);
	}
	return r ? out_of_memory(err) : MT_OK;
}

static int snapshot_format(const struct snapshot_entry *e, char ret[LINE_ROOM])
{
	char root[SHA256_HEX];

	hex_write(e->root, SHA256_BYTES, root);
	return snprintf(ret, LINE_ROOM, "%" PRId64 " %" PRId64 " %s %" PRId64 " %s\n",
			e->number, e->event, kinds[e->kind], e->time_s, root);
}

int64_t snapshot_keep(struct snapshot_store *s, enum snapshot_kind kind, int64_t event,
		      const unsigned char root[SHA256_BYTES], struct error *err)
{
	struct snapshot_entry e = { .number = s->last_number + 1, .event = event,
				    .kind = kind, .time_s = time(NULL) };
	/* After a power loss, the state of a line that was lost is that of the last one. */
	bool same = s->count && !s->fresh_count &&
		    memcmp(s->entries[s->count - 1].root, root, SHA256_BYTES) == 0;
	char line[LINE_ROOM];
	int len, r = object_sync(s, err);

	if (r)
		return r;
	memcpy(e.root, root, SHA256_BYTES);
	len = snapshot_format(&e, line);
	if (ARRAY_GROW(s->entries, &s->room, s->count + 1, ENTRIES_MAX))
		return fail(err, MT_ELIMIT, "too many snapshots");
	if (file_write_all(s->index_fd, line, (size_t)len) ||
	    (s->o.sync && !same && fdatasync(s->index_fd)))
		return fail(err, MT_EIO, "cannot write the index of snapshots: %s",
			    strerror(errno));
	s->entries[s->count++] = e;
	s->last_number = e.number;
	return fstat(s->index_fd, &s->index) ? fail(err, MT_EIO, "cannot read the index")
					     : e.number;
}

static int snapshot_open_index(struct snapshot_store *s, struct error *err)
{
	if (s->index_fd >= 0)
		close(s->index_fd);
	s->index_fd = openat(s->fd, "index",
			     O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->index_fd >= 0
		       ? MT_OK
		       : fail(err, MT_EIO, "cannot open the index of snapshots: %s",
			      strerror(errno));
}

static int snapshot_drop(struct snapshot_store *s, size_t count, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(INDEX_MAX);
	AUTO(close) int fd =
		openat(s->fd, "index.new",
		       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	char line[LINE_ROOM];

	for (size_t i = count; i < s->count; i++) {
		snapshot_format(&s->entries[i], line);
		strbuf_add(&text, line);
	}
	if (text.error)
		return out_of_memory(err);
	if (fd < 0 || file_write_all(fd, text.text, text.len) ||
	    (s->o.sync && fdatasync(fd)) || renameat(s->fd, "index.new", s->fd, "index"))
		return fail(err, MT_EIO, "cannot write the index of snapshots: %s",
			    strerror(errno));
	s->count -= count;
	memmove(s->entries, s->entries + count, s->count * sizeof *s->entries);
	return snapshot_open_index(s, err);
}

size_t snapshot_count(const struct snapshot_store *s)
{
	return s->count;
}

const struct snapshot_entry *snapshot_at(const struct snapshot_store *s, size_t n)
{
	return n < s->count ? &s->entries[n] : NULL;
}

const struct snapshot_entry *snapshot_after(const struct snapshot_store *s, int64_t event)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->entries[i].event > event)
			return &s->entries[i];
	return NULL;
}

/* ---- objects that are used ---------------------------------------------------- */

struct live {
	struct snapshot_store *s;
	unsigned char (*slots)[SHA256_BYTES];
	bool *taken;
	size_t room, count;
	struct error *err;
};

static size_t live_slot(const struct live *l, const unsigned char *hash)
{
	size_t slot;

	memcpy(&slot, hash, sizeof slot);
	for (;; slot++) {
		size_t at = slot & (l->room - 1);

		if (!l->taken[at] || memcmp(l->slots[at], hash, SHA256_BYTES) == 0)
			return at;
	}
}

static int live_grow(struct live *l)
{
	struct live old = *l;

	l->room = old.room ? old.room * 2 : 1024;
	l->slots = calloc(l->room, sizeof *l->slots);
	l->taken = calloc(l->room, sizeof *l->taken);
	if (!l->slots || !l->taken) {
		free(l->slots);
		free(l->taken);
		*l = old;
		return MT_ENOMEM;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.taken[i]) {
			size_t at = live_slot(l, old.slots[i]);

			memcpy(l->slots[at], old.slots[i], SHA256_BYTES);
			l->taken[at] = true;
		}
	free(old.slots);
	free(old.taken);
	return MT_OK;
}

/* @return MT_EEXIST: it was already there */
static int live_add(struct live *l, const unsigned char *hash)
{
	size_t at;

	if (l->count * 2 >= l->room && live_grow(l))
		return MT_ENOMEM;
	at = live_slot(l, hash);
	if (l->taken[at])
		return MT_EEXIST;
	memcpy(l->slots[at], hash, SHA256_BYTES);
	l->taken[at] = true;
	l->count++;
	return MT_OK;
}

static int live_mark(void *arg, const unsigned char *hash, bool is_tree);

/* A tree that cannot be read has nothing that is used. */
static int live_mark_tree(struct live *l, const unsigned char *hash)
{
	AUTO(tree) struct tree t = { 0 };
	int r = tree_read(l->s, hash, &t, NULL);

	for (size_t i = 0; !r && i < t.count; i++)
		if (t.items[i].type != TREE_LEFT_OUT)
			r = live_mark(l, t.items[i].hash,
				      t.items[i].type == TREE_DIRECTORY);
	return r == MT_ENOMEM ? r : MT_OK;
}

static int live_mark(void *arg, const unsigned char *hash, bool is_tree)
{
	int r = live_add(arg, hash);

	if (r == MT_EEXIST)
		return MT_OK;
	return !r && is_tree ? live_mark_tree(arg, hash) : r;
}

static int live_collect(struct live *l)
{
	const struct snapshot_store *s = l->s;
	int r = MT_OK;

	for (size_t i = 0; !r && i < s->count; i++)
		r = live_mark(l, s->entries[i].root, true);
	if (!r && s->cache)
		r = stat_cache_each(s->cache->text, s->cache->len, live_mark, l);
	if (!r && s->taken)
		r = stat_cache_each(s->taken->text, s->taken->len, live_mark, l);
	return r;
}

static void live_sweep_directory(const struct live *l, const char *name)
{
	int fd = openat(l->s->objects_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char hex[SHA256_HEX + 8];
		unsigned char hash[SHA256_BYTES];

		snprintf(hex, sizeof hex, "%.2s%.66s", name, d->d_name);
		if (strlen(hex) == 2 * SHA256_BYTES && snapshot_parse_root(hex, hash) &&
		    !l->taken[live_slot(l, hash)])
			unlinkat(fd, d->d_name, 0);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* Remove the objects that nothing uses. */
static int snapshot_sweep(struct snapshot_store *s, struct error *err)
{
	struct live l = { .s = s, .err = err };
	int r = live_grow(&l);
	char name[3];

	if (!r)
		r = live_collect(&l);
	for (int i = 0; !r && i < 256; i++) {
		snprintf(name, sizeof name, "%02x", i);
		live_sweep_directory(&l, name);
	}
	free(l.slots);
	free(l.taken);
	if (r)
		return out_of_memory(err);
	object_count_used(s);
	return MT_OK;
}

int snapshot_reclaim(struct snapshot_store *s, uint64_t need, struct error *err)
{
	uint64_t enough = (uint64_t)s->o.disk / 10 * 9;
	int r = snapshot_sweep(s, err);

	while (!r && s->used + need > enough && s->count) {
		r = snapshot_drop(s, (s->count + 3) / 4, err);
		if (!r)
			r = snapshot_sweep(s, err);
	}
	s->full = !r && s->used + need > enough;
	return r;
}

/* ---- opening ------------------------------------------------------------------ */

static int snapshot_lock(struct snapshot_store *s, struct error *err)
{
	int64_t until = clock_ms() + (s->o.quick ? LOCK_STEP_MS : LOCK_MS);

	if (s->lock_fd < 0)
		s->lock_fd = openat(s->fd, "lock",
				    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock_fd < 0)
		return fail(err, MT_EIO, "cannot open the lock of the snapshots: %s",
			    strerror(errno));
	while (flock(s->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(err, MT_EIO, "cannot lock the snapshots: %s",
				    strerror(errno));
		if (clock_ms() >= until)
			return fail(err, MT_ETIMEOUT,
				    "another process uses the snapshots");
		poll(NULL, 0, LOCK_STEP_MS);
	}
	return MT_OK;
}

static int snapshot_open_directories(struct snapshot_store *s, bool create,
				     struct error *err)
{
	const char *dir = s->o.dir;

	if (create && dir_make(dir, err))
		return err->code;
	s->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO,
			    "cannot open %s: %s", dir, strerror(errno));
	if (mkdirat(s->fd, "objects", 0700) && errno != EEXIST)
		return fail(err, MT_EIO, "cannot create %s/objects: %s", dir,
			    strerror(errno));
	s->objects_fd =
		openat(s->fd, "objects", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return s->objects_fd >= 0 ? MT_OK
				  : fail(err, MT_EIO, "cannot open %s/objects: %s", dir,
					 strerror(errno));
}

void snapshot_pause(struct snapshot_store *s)
{
	flock(s->lock_fd, LOCK_UN);
}

static int snapshot_load_index(struct snapshot_store *s, struct error *err)
{
	int r = snapshot_open_index(s, err);

	s->count = 0;
	s->last_number = 0;
	if (!r)
		r = snapshot_read_index(s, err);
	if (!r && fstat(s->index_fd, &s->index))
		r = fail(err, MT_EIO, "cannot read the index of snapshots: %s",
			 strerror(errno));
	return r;
}

int snapshot_continue(struct snapshot_store *s, struct error *err)
{
	struct stat now;
	int r = snapshot_lock(s, err);

	if (r)
		return r;
	if (fstatat(s->fd, "index", &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	    now.st_ino == s->index.st_ino && now.st_size == s->index.st_size)
		return MT_OK;
	return snapshot_load_index(s, err);
}

int snapshot_open(const struct snapshot_options *o, bool create,
		  struct snapshot_store **ret, struct error *err)
{
	struct snapshot_store *s = calloc(1, sizeof *s);
	int r;

	if (!s)
		return out_of_memory(err);
	s->o = *o;
	s->fd = s->lock_fd = s->index_fd = s->objects_fd = -1;
	s->buffer = malloc(SNAPSHOT_PIECE);
	r = s->buffer ? snapshot_open_directories(s, create, err) : out_of_memory(err);
	if (!r)
		r = snapshot_lock(s, err);
	if (!r)
		r = snapshot_load_index(s, err);
	if (r)
		snapshot_close(s);
	else
		*ret = s;
	return r;
}

struct snapshot_store *snapshot_close(struct snapshot_store *s)
{
	if (s) {
		auto_close(&s->index_fd);
		auto_close(&s->objects_fd);
		auto_close(&s->lock_fd);
		auto_close(&s->fd);
		free(s->entries);
		free(s->buffer);
		free(s);
	}
	return NULL;
}
