/* SPDX-License-Identifier: MIT
 *
 * restore.c - brings the workspace from one state to another: ignore files first, because
 * they decide what may be removed, then removals, then what must exist. Each directory is
 * opened in its parent without following links. A file is written to a temporary name and
 * renamed. */
#include "snapshot/snapshot-internal.h"

#include "text/ignore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TARGET_MAX = 65536 };

#define TEMPORARY ".mortise-restore"

struct restore {
	struct snapshot_store *s;
	struct snapshot_report *report;
	struct strbuf path;
	size_t base;           /* bytes of `path` above the names in its directory */
	bool new_rules;        /* ignore files have changed */
	struct error *err;
};

/* A directory on disk: as it is, and as it must be. Of a directory that does not exist in
 * one of the states, the tree is empty. */
struct place {
	int fd;
	const struct tree *is, *want;
	const struct ignore *rules;
	unsigned depth;
};

typedef int restore_fn(struct restore *r, const struct place *p);

static void restore_problem(struct restore *r, const char *why)
{
	snapshot_names_add(&r->report->problems, r->path.text, why);
}

static bool restore_is_directory(const struct tree_item *item)
{
	return item && item->type == TREE_DIRECTORY;
}

static bool restore_is_same(const struct tree_item *a, const struct tree_item *b)
{
	return a && b && a->type == b->type &&
	       memcmp(a->hash, b->hash, SHA256_BYTES) == 0;
}

/* ---- directories ------------------------------------------------------------------ */

/* Let the owner read and change a directory; its mode is restored afterwards. */
static void restore_unlock(int dir_fd, const char *name)
{
	AUTO(close) int fd =
		openat(dir_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	char self[64];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || (st.st_mode & 0700) == 0700)
		return;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	(void)!chmod(self, (st.st_mode & 07777) | 0700);
}

static int restore_open(int dir_fd, const char *name)
{
	restore_unlock(dir_fd, name);
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Call `fn` for a directory in the place. Problems with the directory are reported. */
static int restore_below(struct restore *r, const struct place *p, const char *name,
			 const struct tree_item *is, const struct tree_item *want,
			 restore_fn *fn)
{
	AUTO(tree) struct tree a = { 0 }, b = { 0 };
	AUTO(close) int fd = -1;
	struct place below = { .is = &a, .want = &b, .rules = p->rules,
			       .depth = p->depth + 1 };
	struct ignore rules = { 0 };
	int status;

	if (below.depth > SNAPSHOT_DEPTH_MAX)
		return fail(r->err, MT_EINVAL, "a tree of a snapshot is too deep");
	fd = restore_open(p->fd, name);
	if (fd < 0) {
		restore_problem(r, strerror(errno));
		return MT_OK;
	}
	below.fd = fd;
	if ((restore_is_directory(is) && tree_read(r->s, is->hash, &a, r->err)) ||
	    (restore_is_directory(want) && tree_read(r->s, want->hash, &b, r->err)))
		return r->err->code;
	if (r->new_rules && p->rules) {
		if (ignore_open(&rules, p->rules, fd, r->path.len + 1 - r->base))
			return out_of_memory(r->err);
		below.rules = &rules;
	}
	status = fn(r, &below);
	if (below.rules == &rules)
		ignore_close(&rules);
	return status;
}

/* ---- removing --------------------------------------------------------------------- */

static int restore_remove_all(struct restore *r, const struct place *p);

/* Remove something that must not exist. A file that the restored rules ignore stays. */
static int restore_remove(struct restore *r, const struct place *p,
			  const struct tree_item *is)
{
	int status;

	if (is->type == TREE_LEFT_OUT ||
	    (r->new_rules &&
	     ignore_has(p->rules, r->path.text + r->base, restore_is_directory(is))))
		return MT_OK;
	if (!restore_is_directory(is)) {
		if (unlinkat(p->fd, is->name, 0) == 0)
			r->report->removed++;
		else if (errno != ENOENT)
			restore_problem(r, strerror(errno));
		return MT_OK;
	}
	status = restore_below(r, p, is->name, is, NULL, restore_remove_all);
	if (!status && unlinkat(p->fd, is->name, AT_REMOVEDIR) && errno != ENOENT &&
	    errno != ENOTEMPTY && errno != EEXIST)
		restore_problem(r, strerror(errno));
	return status;
}

static int restore_remove_all(struct restore *r, const struct place *p)
{
	const struct tree_item *is, *want;
	size_t i = 0, j = 0, len = r->path.len;
	int status = MT_OK;

	while (!status && tree_next(p->is, p->want, &i, &j, &is, &want)) {
		if (!is || (want && want->type == TREE_LEFT_OUT) ||
		    restore_is_same(is, want))
			continue;
		if (strbuf_addf(&r->path, "%s%s", len ? "/" : "", is->name))
			return out_of_memory(r->err);
		if (restore_is_directory(is) && restore_is_directory(want)) {
			status = restore_below(r, p, is->name, is, want,
					       restore_remove_all);
		} else if (!want || restore_is_directory(is) ||
			   restore_is_directory(want)) {
			status = restore_remove(r, p, is);
		}
		strbuf_cut(&r->path, len);
	}
	return status;
}

/* ---- writing ------------------------------------------------------------------------ */

static void restore_times(const struct tree_item *want, struct timespec ret[2])
{
	ret[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
	ret[1] = (struct timespec){ .tv_sec = want->mtime_s,
				    .tv_nsec = (long)want->mtime_ns };
}

/* Only the mode or the time differ. */
static bool restore_attributes(const struct place *p, const struct tree_item *want)
{
	AUTO(close) int fd =
		openat(p->fd, want->name,
		       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct timespec times[2];
	struct stat st;

	restore_times(want, times);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       fchmod(fd, want->mode) == 0 && futimens(fd, times) == 0;
}

static int restore_make_file(struct restore *r, const struct place *p,
			     const struct tree_item *want, struct error *why)
{
	AUTO(close) int fd =
		openat(p->fd, TEMPORARY,
		       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct timespec times[2];

	restore_times(want, times);
	if (fd < 0)
		return fail(why, MT_EIO, "%s", strerror(errno));
	if (object_copy(r->s, want->hash, fd, why))
		return why->code;
	return fchmod(fd, want->mode) || futimens(fd, times)
		       ? fail(why, MT_EIO, "%s", strerror(errno))
		       : MT_OK;
}

static int restore_make_link(struct restore *r, const struct place *p,
			     const struct tree_item *want, struct error *why)
{
	AUTO(free) char *target = NULL;
	struct timespec times[2];
	size_t len;

	restore_times(want, times);
	if (snapshot_read(r->s, want->hash, TARGET_MAX, &target, &len, why))
		return why->code;
	return symlinkat(target, p->fd, TEMPORARY) ||
			       utimensat(p->fd, TEMPORARY, times, AT_SYMLINK_NOFOLLOW)
		       ? fail(why, MT_EIO, "%s", strerror(errno))
		       : MT_OK;
}

/* Was it restored before, as an ignore file, or by a restore that was interrupted? */
static bool restore_is_restored(const struct stat *st, const struct tree_item *want)
{
	return (uint64_t)st->st_size == want->size &&
	       st->st_mtim.tv_sec == want->mtime_s &&
	       st->st_mtim.tv_nsec == (long)want->mtime_ns;
}

/* A file that is not part of the present state could not be brought back, so it is not
 * replaced. */
static int restore_rename(const struct place *p, const struct tree_item *is,
			  const struct tree_item *want, struct error *why)
{
	struct stat st;

	if ((!is || is->type == TREE_LEFT_OUT) &&
	    fstatat(p->fd, want->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !restore_is_restored(&st, want))
		return fail(why, MT_EEXIST,
			    "a file that is not covered has its name, and is kept");
	return renameat(p->fd, TEMPORARY, p->fd, want->name)
		       ? fail(why, MT_EIO, "%s", strerror(errno))
		       : MT_OK;
}

static int restore_leaf(struct restore *r, const struct place *p,
			const struct tree_item *is, const struct tree_item *want)
{
	struct error why = ERROR_NONE;
	int status;

	if (restore_is_same(is, want)) {
		if ((is->mode == want->mode && tree_same_time(is, want)) ||
		    (want->type == TREE_FILE && restore_attributes(p, want)))
			return MT_OK;
	}
	unlinkat(p->fd, TEMPORARY, 0); /* of an interrupted restore */
	status = want->type == TREE_FILE ? restore_make_file(r, p, want, &why)
					 : restore_make_link(r, p, want, &why);
	if (!status)
		status = restore_rename(p, is, want, &why);
	if (!status) {
		r->report->written++;
		return MT_OK;
	}
	unlinkat(p->fd, TEMPORARY, 0);
	restore_problem(r, why.text);
	return status == MT_ENOMEM ? out_of_memory(r->err) : MT_OK;
}

/* The time and mode that a directory gets when its contents are complete. */
static void restore_finish(struct restore *r, int fd, const struct tree_item *want)
{
	struct timespec times[2];
	struct stat st;

	restore_times(want, times);
	if (fstat(fd, &st) ||
	    ((st.st_mode & 07777) == want->mode && st.st_mtim.tv_sec == want->mtime_s &&
	     st.st_mtim.tv_nsec == (long)want->mtime_ns))
		return;
	if (futimens(fd, times) || fchmod(fd, want->mode))
		restore_problem(r, strerror(errno));
}

static int restore_write_all(struct restore *r, const struct place *p);

static int restore_directory(struct restore *r, const struct place *p,
			     const struct tree_item *is, const struct tree_item *want)
{
	AUTO(close) int fd = -1;
	int status = MT_OK;

	if (!restore_is_directory(is) && mkdirat(p->fd, want->name, 0700) &&
	    errno != EEXIST) {
		restore_problem(r, strerror(errno));
		return MT_OK;
	}
	if (!restore_is_same(is, want))
		status = restore_below(r, p, want->name, is, want, restore_write_all);
	else if (is->mode == want->mode && tree_same_time(is, want))
		return MT_OK;
	fd = status ? -1 : restore_open(p->fd, want->name);
	if (fd >= 0)
		restore_finish(r, fd, want);
	return status;
}

static int restore_write_all(struct restore *r, const struct place *p)
{
	const struct tree_item *is, *want;
	size_t i = 0, j = 0, len = r->path.len;
	int status = MT_OK;

	while (!status && tree_next(p->is, p->want, &i, &j, &is, &want)) {
		if (!want || (want->type == TREE_LEFT_OUT && restore_is_same(is, want)))
			continue;
		if (strbuf_addf(&r->path, "%s%s", len ? "/" : "", want->name))
			return out_of_memory(r->err);
		if (want->type == TREE_LEFT_OUT)
			restore_problem(r, "it was not covered");
		else if (restore_is_directory(want))
			status = restore_directory(r, p, is, want);
		else
			status = restore_leaf(r, p, is, want);
		strbuf_cut(&r->path, len);
	}
	return status;
}

/* ---- ignore files -------------------------------------------------------------------- */

static bool restore_is_rules(const struct tree_item *item)
{
	return item && item->type == TREE_FILE &&
	       (strcmp(item->name, ".gitignore") == 0 ||
		strcmp(item->name, ".ignore") == 0);
}

/* Of directories that exist in both states; the others have no file to decide about, or
 * are removed with their rules. */
static int restore_rules(struct restore *r, const struct place *p)
{
	const struct tree_item *is, *want;
	size_t i = 0, j = 0, len = r->path.len;
	int status = MT_OK;

	while (!status && tree_next(p->is, p->want, &i, &j, &is, &want)) {
		const char *name = is ? is->name : want->name;

		if (restore_is_same(is, want))
			continue;
		if (strbuf_addf(&r->path, "%s%s", len ? "/" : "", name))
			return out_of_memory(r->err);
		if (restore_is_directory(is) && restore_is_directory(want)) {
			status = restore_below(r, p, name, is, want, restore_rules);
		} else if (restore_is_rules(want)) {
			r->new_rules = true;
			if (!restore_is_directory(is))
				status = restore_leaf(r, p, is, want);
		} else if (restore_is_rules(is) && !want) {
			r->new_rules = true;
			unlinkat(p->fd, name, 0);
		}
		strbuf_cut(&r->path, len);
	}
	return status;
}

/* ---- the workspace --------------------------------------------------------------------- */

static int restore_run(struct restore *r, struct place *p, const struct ignore *above)
{
	struct ignore rules = { 0 };
	int status = restore_rules(r, p);

	if (status)
		return status;
	if (ignore_open(&rules, above, p->fd, 0))
		return out_of_memory(r->err);
	p->rules = &rules;
	status = restore_remove_all(r, p);
	p->rules = NULL;
	ignore_close(&rules);
	return status ? status : restore_write_all(r, p);
}

/* Restore one directory of the conversation; `root` NULL: the workspace. */
static int restore_trees(struct restore *r, const char *root, const struct tree_item *is,
			 const struct tree_item *want)
{
	AUTO(tree) struct tree a = { 0 }, b = { 0 };
	const char *path = root ? root : r->s->o.workspace;
	AUTO(close) int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (root ? O_NOFOLLOW : 0));
	struct place p = { .fd = fd, .is = &a, .want = &b };
	struct ignore *above = NULL;
	char real[PATH_MAX];
	int status;

	if (fd < 0 || (root && (!realpath(root, real) || strcmp(root, real) != 0)))
		return fail(r->err, MT_EIO, "cannot open %s: %s", path, strerror(errno));
	if (tree_read(r->s, is->hash, &a, r->err) ||
	    tree_read(r->s, want->hash, &b, r->err))
		return r->err->code;
	if (ignore_above(path, &above))
		return out_of_memory(r->err);
	strbuf_reset(&r->path);
	r->base = root ? strlen(root) + 1 : 0;
	r->new_rules = false;
	status = root && strbuf_add(&r->path, root) ? out_of_memory(r->err)
						    : restore_run(r, &p, above);
	ignore_free_above(above);
	if (!status)
		restore_finish(r, fd, want);
	return status;
}

/* A directory other than the workspace that cannot be opened is reported. */
static int restore_root(struct restore *r, const struct tree_item *is,
			const struct tree_item *want)
{
	AUTO(strbuf) struct strbuf root = STRBUF(3 * PATH_MAX);
	int status = tree_root_path(is->name, &root);

	if (status)
		return fail(r->err, status, "the root of a snapshot is malformed");
	status = restore_trees(r, root.len ? root.text : NULL, is, want);
	if (status != MT_EIO || !root.len)
		return status;
	snapshot_names_add(&r->report->problems, root.text, r->err->text);
	*r->err = (struct error)ERROR_NONE;
	return MT_OK;
}

int snapshot_restore(struct snapshot_store *s, const unsigned char present[SHA256_BYTES],
		     const unsigned char root[SHA256_BYTES], struct snapshot_report *ret,
		     struct error *err)
{
	AUTO(tree) struct tree a = { 0 }, b = { 0 };
	struct restore r = { .s = s, .report = ret, .err = err,
			     .path = STRBUF(SNAPSHOT_PATH_MAX * 4) };
	const struct tree_item *is, *want;
	size_t i = 0, j = 0;
	int status = tree_root(s, present, &a, err);

	*ret = (struct snapshot_report){ 0 };
	if (!status)
		status = tree_root(s, root, &b, err);
	while (!status && tree_next(&a, &b, &i, &j, &is, &want))
		if (is && want)
			status = restore_root(&r, is, want);
	strbuf_clear(&r.path);
	return status;
}
