/* SPDX-License-Identifier: MIT
 *
 * apply.c - brings directories to the state of an overlay: removals first, the contents
 * of a directory before it, then what must exist, then modes and times of directories. A
 * file is written to a temporary name and renamed. */
#include "overlay/changes.h"

#include "auto.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 18, BLOCK = 4096 };

#define TEMPORARY ".mortise-apply"

struct applying {
	const struct overlay *o;
	const struct overlay_changes *changes;
	struct timespec base;
	int from[OVERLAY_ROOTS_MAX], to[OVERLAY_ROOTS_MAX];
	struct error *err;
};

static int apply_failed(struct applying *a, const struct overlay_change *c,
			const char *verb)
{
	return fail(a->err, MT_EIO, "cannot %s %s/%s: %s", verb,
		    a->o->roots[c->root].path, c->path, strerror(errno));
}

/* The directory that contains a path, and its name there. */
static int apply_parent(int root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		return overlay_open_at(root, "", O_RDONLY | O_DIRECTORY);
	if ((size_t)(slash - path) >= sizeof dir) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	return overlay_open_at(root, dir, O_RDONLY | O_DIRECTORY);
}

/* Let the owner change a directory; its mode is set at the end. */
static int apply_unlock(struct applying *a, const struct overlay_change *c)
{
	AUTO(close) int fd = -1;
	char self[64];

	if (!S_ISDIR(c->real.st_mode) || (c->real.st_mode & 0700) == 0700)
		return MT_OK;
	fd = overlay_open_at(a->to[c->root], c->path, O_PATH | O_DIRECTORY);
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return fd < 0 || chmod(self, (c->real.st_mode & 07777) | 0700)
		       ? apply_failed(a, c, "change the mode of")
		       : MT_OK;
}

/* ---- removing -------------------------------------------------------------------- */

/* A directory that contains what is not in the list, such as a new file of the user,
 * stays. */
static int apply_remove(struct applying *a, const struct overlay_change *c)
{
	const struct stat *have = &c->real, *want = &c->is;
	AUTO(close) int dir = -1;
	const char *name;
	bool is_dir = S_ISDIR(have->st_mode);

	if (!have->st_mode || (want->st_mode & S_IFMT) == (have->st_mode & S_IFMT) ||
	    (want->st_mode && !is_dir && !S_ISDIR(want->st_mode)))
		return MT_OK;
	dir = apply_parent(a->to[c->root], c->path, &name);
	if (dir >= 0 && unlinkat(dir, name, is_dir ? AT_REMOVEDIR : 0) == 0)
		return MT_OK;
	return errno == ENOENT || (errno == ENOTEMPTY && !want->st_mode)
		       ? MT_OK
		       : apply_failed(a, c, "remove");
}

/* ---- writing --------------------------------------------------------------------- */

static bool apply_is_zero(const char *piece, size_t len)
{
	return *piece == '\0' && memcmp(piece, piece + 1, len - 1) == 0;
}

/* Holes stay holes. With the hash of what was copied. */
static int apply_bytes(int from, int to, unsigned char hash[SHA256_BYTES])
{
	const struct crypto_api *api = digest_crypto_api(NULL);
	AUTO(free) char *piece = malloc(PIECE);
	EVP_MD_CTX *context = api ? api->EVP_MD_CTX_new() : NULL;
	bool good = piece && context &&
		    api->EVP_DigestInit_ex(context, api->EVP_sha256(), NULL) == 1;
	off_t size = 0;
	ssize_t n = -1;

	while (good && (n = read(from, piece, PIECE)) > 0) {
		size += n;
		good = api->EVP_DigestUpdate(context, piece, (size_t)n) == 1 &&
		       (n % BLOCK == 0 && apply_is_zero(piece, (size_t)n)
				? lseek(to, n, SEEK_CUR) >= 0
				: file_write_all(to, piece, (size_t)n) == MT_OK);
	}
	good = good && n == 0 && ftruncate(to, size) == 0 &&
	       api->EVP_DigestFinal_ex(context, hash, NULL) == 1;
	if (context)
		api->EVP_MD_CTX_free(context);
	return good ? MT_OK : MT_EIO;
}

static void apply_times(const struct stat *want, struct timespec ret[2])
{
	ret[0] = want->st_atim;
	ret[1] = want->st_mtim;
}

static int apply_copy_file(struct applying *a, const struct overlay_change *c, int dir)
{
	const struct stat *want = &c->is;
	AUTO(close) int from = overlay_open_at(a->from[c->root], c->path, O_RDONLY);
	AUTO(close) int to = -1;
	unsigned char hash[SHA256_BYTES];
	struct timespec times[2];

	if (from < 0)
		return apply_failed(a, c, "read");
	to = openat(dir, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (to < 0 || apply_bytes(from, to, hash))
		return apply_failed(a, c, "write");
	if (memcmp(hash, c->hash, sizeof hash) != 0)
		return fail(a->err, MT_EINVAL, "%s was changed while it was applied",
			    c->path);
	apply_times(want, times);
	return overlay_copy_attributes(from, to) || fchmod(to, want->st_mode & 07777) ||
			       futimens(to, times)
		       ? apply_failed(a, c, "set the mode, time or attributes of")
		       : MT_OK;
}

static int apply_copy_link(struct applying *a, const struct overlay_change *c, int dir)
{
	const struct stat *want = &c->is;
	AUTO(close) int from = overlay_open_at(a->from[c->root], c->path, O_PATH);
	char target[PATH_MAX];
	struct timespec times[2];
	ssize_t len = from < 0 ? -1 : readlinkat(from, "", target, sizeof target - 1);

	if (len < 0)
		return apply_failed(a, c, "read");
	target[len] = '\0';
	apply_times(want, times);
	return symlinkat(target, dir, TEMPORARY) ||
			       utimensat(dir, TEMPORARY, times, AT_SYMLINK_NOFOLLOW)
		       ? apply_failed(a, c, "write")
		       : MT_OK;
}

static int apply_copy_special(struct applying *a, const struct overlay_change *c, int dir)
{
	const struct stat *want = &c->is;
	struct timespec times[2];

	apply_times(want, times);
	return mknodat(dir, TEMPORARY, want->st_mode, want->st_rdev) ||
			       fchmodat(dir, TEMPORARY, want->st_mode & 07777, 0) ||
			       utimensat(dir, TEMPORARY, times, AT_SYMLINK_NOFOLLOW)
		       ? apply_failed(a, c, "create")
		       : MT_OK;
}

/* Another name of a file that is complete. */
static int apply_hard_link(struct applying *a, const struct overlay_change *c, int dir)
{
	const struct overlay_change *first = &a->changes->list[c->link];
	const char *name;
	AUTO(close) int other = apply_parent(a->to[first->root], first->path, &name);

	return other < 0 || linkat(other, name, dir, TEMPORARY, 0)
		       ? apply_failed(a, c, "link")
		       : MT_OK;
}

static int apply_leaf(struct applying *a, const struct overlay_change *c)
{
	const struct stat *want = &c->is;
	const char *name;
	AUTO(close) int dir = apply_parent(a->to[c->root], c->path, &name);
	int r;

	if (dir < 0)
		return apply_failed(a, c, "open the directory of");
	unlinkat(dir, TEMPORARY, 0);
	if (&a->changes->list[c->link] != c)
		r = apply_hard_link(a, c, dir);
	else if (S_ISREG(want->st_mode))
		r = apply_copy_file(a, c, dir);
	else if (S_ISLNK(want->st_mode))
		r = apply_copy_link(a, c, dir);
	else
		r = apply_copy_special(a, c, dir);
	if (!r && renameat(dir, TEMPORARY, dir, name))
		r = apply_failed(a, c, "replace");
	if (r)
		unlinkat(dir, TEMPORARY, 0);
	return r;
}

static int apply_directory(struct applying *a, const struct overlay_change *c)
{
	const char *name;
	AUTO(close) int dir = -1;

	if (S_ISDIR(c->real.st_mode))
		return MT_OK;
	dir = apply_parent(a->to[c->root], c->path, &name);
	return dir < 0 || (mkdirat(dir, name, 0700) && errno != EEXIST)
		       ? apply_failed(a, c, "create")
		       : MT_OK;
}

static int apply_write(struct applying *a, const struct overlay_change *c)
{
	if (S_ISDIR(c->is.st_mode))
		return apply_directory(a, c);
	return c->same || !c->is.st_mode ? MT_OK : apply_leaf(a, c);
}

/* ---- directories ----------------------------------------------------------------- */

/* Also of one whose entries were replaced. If someone else has changed it since, its time
 * is unknown, and is not set. */
static int apply_finish(struct applying *a, const struct overlay_change *c)
{
	const struct stat *want = &c->is;
	AUTO(close) int to = -1, from = -1;
	struct timespec times[2];

	if (!S_ISDIR(want->st_mode))
		return MT_OK;
	to = overlay_open_at(a->to[c->root], c->path, O_RDONLY | O_DIRECTORY);
	from = overlay_open_at(a->from[c->root], c->path, O_RDONLY | O_DIRECTORY);
	if (to < 0 || from < 0 || overlay_copy_attributes(from, to))
		return apply_failed(a, c, "set the attributes of");
	apply_times(want, times);
	if (overlay_is_later(&c->real.st_ctim, &a->base))
		times[1].tv_nsec = UTIME_OMIT;
	return fchmod(to, want->st_mode & 07777) || futimens(to, times)
		       ? apply_failed(a, c, "set the mode and time of")
		       : MT_OK;
}

/* ---- all ------------------------------------------------------------------------- */

typedef int apply_fn(struct applying *a, const struct overlay_change *c);

static int apply_each(struct applying *a, apply_fn *fn, bool backwards)
{
	size_t count = a->changes->count;
	int r = MT_OK;

	for (size_t i = 0; !r && i < count; i++)
		r = fn(a, &a->changes->list[backwards ? count - 1 - i : i]);
	return r;
}

/* `to`: apply to what another overlay covers; NULL: to the real directories. */
static int apply_run(const struct overlay *o, const struct overlay_changes *c,
		     const struct overlay *to, struct error *err)
{
	struct applying a = {
		.o = o, .changes = c, .base = overlay_base(o), .err = err
	};
	int real[OVERLAY_ROOTS_MAX], r = MT_OK;

	if (!digest_crypto_api(err))
		return err->code;
	for (size_t i = 0; i < o->count; i++) {
		real[i] = to ? -1
			     : open(o->roots[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		a.from[i] = o->roots[i].fd;
		a.to[i] = to ? to->roots[i].fd : real[i];
		if (a.to[i] < 0)
			r = fail(err, MT_EIO, "cannot open %s: %s", o->roots[i].path,
				 strerror(errno));
	}
	if (!r)
		r = apply_each(&a, apply_unlock, false);
	if (!r)
		r = apply_each(&a, apply_remove, true);
	if (!r)
		r = apply_each(&a, apply_write, false);
	if (!r)
		r = apply_each(&a, apply_finish, true);
	for (size_t i = 0; i < o->count; i++)
		auto_close(&real[i]);
	return r;
}

int overlay_apply(const struct overlay *o, const struct overlay_changes *c,
		  struct error *err)
{
	return apply_run(o, c, NULL, err) ? err->code : overlay_set_base(o, err);
}

int overlay_copy(const char *from, const char *to, struct error *err)
{
	AUTO(overlay) struct overlay o = OVERLAY_NONE, copy = OVERLAY_NONE;
	AUTO(overlay_changes) struct overlay_changes changes = { 0 };
	char *roots[OVERLAY_ROOTS_MAX + 1] = { NULL };
	int r = overlay_view(from, &o, err);

	for (size_t i = 0; i < o.count; i++)
		roots[i] = o.roots[i].path;
	if (!r)
		r = overlay_open(to, roots, &copy, err);
	if (!r)
		r = overlay_list(&o, &changes, err);
	return r ? r : apply_run(&o, &changes, &copy, err);
}
