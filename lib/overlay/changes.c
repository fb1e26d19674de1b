/* SPDX-License-Identifier: MIT
 *
 * changes.c - lists what differs: a walk of what the overlay has stored, which compares
 * the directories with it and without it. */
#include "overlay/changes.h"

#include "array.h"
#include "auto.h"
#include "strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

enum { DEPTH_MAX = 200, NAMES_MAX = 1 << 21, PIECE = 1 << 18, ATTRIBUTES = 1 << 16 };

/* ---- files ----------------------------------------------------------------------- */

int overlay_open_at(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof how);
}

static const char *overlay_next_attribute(const char *at, const char *end)
{
	while (at < end && strncmp(at, "user.", 5) != 0)
		at += strlen(at) + 1;
	return at < end ? at : NULL;
}

/* Every attribute of `a` is in `b`; `copy`: make it so. */
static bool overlay_has_attributes(int a, int b, bool copy)
{
	char names[ATTRIBUTES], one[ATTRIBUTES], other[ATTRIBUTES];
	ssize_t len = flistxattr(a, names, sizeof names);
	const char *end = names + (len > 0 ? len : 0);

	for (const char *n = names; (n = overlay_next_attribute(n, end));
	     n += strlen(n) + 1) {
		ssize_t size = fgetxattr(a, n, one, sizeof one);

		if (size < 0 || (fgetxattr(b, n, other, sizeof other) == size &&
				 memcmp(one, other, (size_t)size) == 0))
			continue;
		if (!copy || fsetxattr(b, n, one, (size_t)size, 0))
			return false;
	}
	return true;
}

static bool overlay_same_attributes(int a, int b)
{
	return overlay_has_attributes(a, b, false) && overlay_has_attributes(b, a, false);
}

int overlay_copy_attributes(int from, int to)
{
	char names[ATTRIBUTES], value[1];
	ssize_t len = flistxattr(to, names, sizeof names);
	const char *end = names + (len > 0 ? len : 0);

	for (const char *n = names; (n = overlay_next_attribute(n, end));
	     n += strlen(n) + 1)
		if (fgetxattr(from, n, value, 0) < 0 && fremovexattr(to, n))
			return MT_EIO;
	return overlay_has_attributes(from, to, true) ? MT_OK : MT_EIO;
}

static int overlay_hash_file(int fd, unsigned char ret[SHA256_BYTES])
{
	const struct crypto_api *api = digest_crypto_api(NULL);
	AUTO(free) char *piece = malloc(PIECE);
	EVP_MD_CTX *context = api ? api->EVP_MD_CTX_new() : NULL;
	ssize_t n = -1;
	bool done = piece && context &&
		    api->EVP_DigestInit_ex(context, api->EVP_sha256(), NULL) == 1;

	while (done && (n = read(fd, piece, PIECE)) > 0)
		done = api->EVP_DigestUpdate(context, piece, (size_t)n) == 1;
	done = done && n == 0 && api->EVP_DigestFinal_ex(context, ret, NULL) == 1;
	if (context)
		api->EVP_MD_CTX_free(context);
	return done ? MT_OK : MT_EIO;
}

/* The hash of the content of a file or the target of a link; zeros for others. */
static int overlay_hash(int root, const char *path, const struct stat *st,
			unsigned char ret[SHA256_BYTES], struct error *err)
{
	AUTO(close) int fd = -1;
	char target[PATH_MAX];
	ssize_t len;
	int status = MT_EIO;

	memset(ret, 0, SHA256_BYTES);
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return MT_OK;
	fd = overlay_open_at(root, path, S_ISLNK(st->st_mode) ? O_PATH : O_RDONLY);
	if (fd >= 0 && S_ISREG(st->st_mode)) {
		status = overlay_hash_file(fd, ret);
	} else if (fd >= 0) {
		len = readlinkat(fd, "", target, sizeof target);
		status = len < 0 ? MT_EIO : digest_sha256(target, (size_t)len, ret);
	}
	return status ? fail(err, MT_EIO, "cannot read %s: %s", path, strerror(errno))
		      : MT_OK;
}

/* ---- the walk -------------------------------------------------------------------- */

struct listing {
	const struct overlay *o;
	struct overlay_changes *changes;
	size_t root;
	struct strbuf path;
	size_t *links;         /* entries of files with several names, by inode, plus 1;
				* 0: free */
	size_t link_room, link_count;
	struct error *err;
};

/* One directory, as the overlay has stored it, with the changes, and without; -1: it does
 * not exist there. */
struct level {
	int upper, is, real;
	unsigned depth;
};

struct name_list {
	char **list;
	size_t count, room;
};

static void auto_name_list(struct name_list *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
}

static void auto_level(struct level *l)
{
	auto_close(&l->upper);
	auto_close(&l->is);
	auto_close(&l->real);
}

static int listing_failed(struct listing *l)
{
	return fail(l->err, MT_EIO, "cannot read %s/%s: %s", l->o->roots[l->root].path,
		    l->path.text ? l->path.text : "", strerror(errno));
}

static int listing_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int listing_add_names(struct listing *l, int fd, struct name_list *ret)
{
	int own = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *d;

	if (fd >= 0 && !dir) {
		auto_close(&own);
		return listing_failed(l);
	}
	while (dir && (d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (ARRAY_GROW(ret->list, &ret->room, ret->count + 1, NAMES_MAX) ||
		    !(ret->list[ret->count] = strdup(d->d_name))) {
			closedir(dir);
			return out_of_memory(l->err);
		}
		ret->count++;
	}
	if (dir)
		closedir(dir);
	return MT_OK;
}

/* All names, each once. */
static int listing_names(struct listing *l, const struct level *at, struct name_list *ret)
{
	size_t kept = 0;

	if (listing_add_names(l, at->upper, ret) || listing_add_names(l, at->is, ret) ||
	    listing_add_names(l, at->real, ret))
		return l->err->code;
	if (ret->count)
		qsort(ret->list, ret->count, sizeof *ret->list, listing_by_name);
	for (size_t i = 0; i < ret->count; i++) {
		if (kept && strcmp(ret->list[kept - 1], ret->list[i]) == 0)
			free(ret->list[i]);
		else
			ret->list[kept++] = ret->list[i];
	}
	ret->count = kept;
	return MT_OK;
}

static int listing_stat(int fd, const char *name, struct stat *ret)
{
	*ret = (struct stat){ 0 };
	if (fd < 0 || fstatat(fd, name, ret, AT_SYMLINK_NOFOLLOW) == 0)
		return MT_OK;
	*ret = (struct stat){ 0 };
	return errno == ENOENT ? MT_OK : MT_EIO;
}

/* The place of the first name of a file among the files with several names. */
static size_t *listing_slot(const struct listing *l, size_t root, const struct stat *is)
{
	size_t i = (size_t)(is->st_ino * 0x9e3779b97f4a7c15u >> 20);

	for (;; i++) {
		size_t *slot = &l->links[i & (l->link_room - 1)];
		const struct overlay_change *c = &l->changes->list[*slot ? *slot - 1 : 0];

		if (!*slot || (c->root == root && c->is.st_ino == is->st_ino &&
			       c->is.st_dev == is->st_dev))
			return slot;
	}
}

static int listing_grow_links(struct listing *l)
{
	size_t *old = l->links, room = l->link_room;

	if (l->link_count * 2 < room)
		return MT_OK;
	l->link_room = room ? room * 2 : 64;
	l->links = calloc(l->link_room, sizeof *l->links);
	for (size_t i = 0; l->links && i < room; i++)
		if (old[i]) {
			const struct overlay_change *c = &l->changes->list[old[i] - 1];

			*listing_slot(l, c->root, &c->is) = old[i];
		}
	free(old);
	return l->links ? MT_OK : out_of_memory(l->err);
}

/* Another name of the same file, which is before the entry `own` in the list. */
static int listing_link(struct listing *l, size_t own, size_t *ret)
{
	const struct overlay_change *c = &l->changes->list[own];
	size_t *slot;

	*ret = own;
	if (c->is.st_nlink < 2 || S_ISDIR(c->is.st_mode))
		return MT_OK;
	if (listing_grow_links(l))
		return l->err->code;
	slot = listing_slot(l, c->root, &c->is);
	l->link_count += !*slot;
	if (!*slot)
		*slot = own + 1;
	*ret = *slot - 1;
	return MT_OK;
}

static bool listing_same_time(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int listing_compare(struct listing *l, int is, int real, const char *name,
			   struct overlay_change *c)
{
	AUTO(close) int a = -1, b = -1;
	unsigned char before[SHA256_BYTES];
	const bool both = c->is.st_mode && c->real.st_mode;

	if (S_ISDIR(c->is.st_mode) || !c->is.st_mode)
		c->content = (c->is.st_mode & S_IFMT) != (c->real.st_mode & S_IFMT);
	else if (overlay_hash(is, name, &c->is, c->hash, l->err))
		return l->err->code;
	else if (!both || (c->is.st_mode & S_IFMT) != (c->real.st_mode & S_IFMT) ||
		 c->is.st_size != c->real.st_size)
		c->content = true;
	else if (overlay_hash(real, name, &c->real, before, l->err))
		return l->err->code;
	else
		c->content = memcmp(before, c->hash, sizeof before) != 0;
	if (c->content || c->is.st_mode != c->real.st_mode ||
	    !listing_same_time(&c->is, &c->real))
		return MT_OK;
	if (!S_ISLNK(c->is.st_mode)) {
		a = overlay_open_at(is, name, O_RDONLY | O_NONBLOCK);
		b = overlay_open_at(real, name, O_RDONLY | O_NONBLOCK);
	}
	c->same = a < 0 || b < 0 || overlay_same_attributes(a, b);
	return MT_OK;
}

static int listing_add_change(struct listing *l, const struct stat *is,
			      const struct stat *real, int is_fd, int real_fd,
			      const char *name)
{
	struct overlay_changes *all = l->changes;
	struct overlay_change *c;

	if (ARRAY_ADD(all->list, all->count, OVERLAY_CHANGES_MAX))
		return fail(l->err, MT_ELIMIT,
			    "more than %d paths differ, or out of memory",
			    OVERLAY_CHANGES_MAX);
	c = &all->list[all->count];
	*c = (struct overlay_change){ .path = strdup(l->path.text ? l->path.text : ""),
				      .root = l->root, .is = *is, .real = *real };
	if (!c->path)
		return out_of_memory(l->err);
	if (listing_link(l, all->count++, &c->link) ||
	    listing_compare(l, is_fd, real_fd, name, c))
		return l->err->code;
	if (!c->same &&
	    !(S_ISDIR(is->st_mode) || (!is->st_mode && S_ISDIR(real->st_mode))))
		all->files++;
	return MT_OK;
}

static int listing_walk(struct listing *l, const struct level *at);

static int listing_open(struct listing *l, int fd, const char *name,
			const struct stat *st, int *ret)
{
	if (fd < 0 || !S_ISDIR(st->st_mode))
		return MT_OK;
	*ret = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret < 0 ? listing_failed(l) : MT_OK;
}

static int listing_item(struct listing *l, const struct level *at, const char *name,
			bool opaque)
{
	AUTO(level) struct level below = { -1, -1, -1, at->depth + 1 };
	struct stat upper, is, real;
	int r;

	if (listing_stat(at->upper, name, &upper) || listing_stat(at->is, name, &is) ||
	    listing_stat(at->real, name, &real))
		return listing_failed(l);
	/* Without an entry in the overlay, the name is not changed, or its directory is
	 * new. A file that someone creates meanwhile is not removed. */
	if (!upper.st_mode && at->upper >= 0 && !(opaque && !is.st_mode))
		return MT_OK;
	if (!is.st_mode && !real.st_mode)
		return MT_OK;
	r = listing_add_change(l, &is, &real, at->is, at->real, name);
	if (!r)
		r = listing_open(l, at->upper, name, &upper, &below.upper);
	if (!r)
		r = listing_open(l, at->is, name, &is, &below.is);
	if (!r)
		r = listing_open(l, at->real, name, &real, &below.real);
	if (r || (below.is < 0 && below.real < 0))
		return r;
	return listing_walk(l, &below);
}

static int listing_walk(struct listing *l, const struct level *at)
{
	AUTO(name_list) struct name_list names = { 0 };
	size_t len = l->path.len;
	char value;
	bool opaque = at->upper < 0 ||
		      fgetxattr(at->upper, "user.overlay.opaque", &value, 1) > 0;
	int r = listing_names(l, at, &names);

	if (at->depth > DEPTH_MAX)
		return fail(l->err, MT_ELIMIT, "%s: directories are nested too deeply",
			    l->path.text);
	for (size_t i = 0; !r && i < names.count; i++) {
		if (strbuf_addf(&l->path, "%s%s", len ? "/" : "", names.list[i]))
			return fail(l->err, MT_ELIMIT,
				    "a path is too long, or out of memory");
		r = listing_item(l, at, names.list[i], opaque);
		strbuf_cut(&l->path, len);
	}
	return r;
}

static int listing_root(struct listing *l)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	const struct overlay_root *root = &l->o->roots[l->root];
	AUTO(level) struct level top = {
		open(root->upper, flags), openat(root->fd, ".", flags),
		open(root->path, flags), 0,
	};
	struct stat is, real;

	if (top.upper < 0 || top.is < 0 || top.real < 0 || fstat(top.is, &is) ||
	    fstat(top.real, &real))
		return listing_failed(l);
	if (listing_add_change(l, &is, &real, top.is, top.real, "."))
		return l->err->code;
	return listing_walk(l, &top);
}

int overlay_list(const struct overlay *o, struct overlay_changes *ret, struct error *err)
{
	struct listing l = {
		.o = o, .changes = ret, .err = err, .path = STRBUF(PATH_MAX)
	};
	int r = MT_OK;

	*ret = (struct overlay_changes){ 0 };
	for (; !r && l.root < o->count; l.root++)
		r = listing_root(&l);
	strbuf_clear(&l.path);
	free(l.links);
	if (r)
		overlay_changes_clear(ret);
	return r;
}

void overlay_changes_clear(struct overlay_changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->list[i].path);
	free(c->list);
	*c = (struct overlay_changes){ 0 };
}

/* ---- queries --------------------------------------------------------------------- */

bool overlay_is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const struct overlay_change *overlay_conflict(const struct overlay *o,
					      const struct overlay_changes *c)
{
	const struct timespec base = overlay_base(o);

	for (size_t i = 0; i < c->count; i++) {
		const struct overlay_change *one = &c->list[i];

		if (one->same || !one->real.st_mode ||
		    (S_ISDIR(one->is.st_mode) && S_ISDIR(one->real.st_mode)))
			continue;
		if (overlay_is_later(&one->real.st_ctim, &base) &&
		    !(S_ISDIR(one->real.st_mode) && !one->is.st_mode))
			return one;
	}
	return NULL;
}
