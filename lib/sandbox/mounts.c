/* SPDX-License-Identifier: MIT
 *
 * mounts.c - mounts the file system of a sandbox: everything read-only but the paths
 * that can be written; a private /tmp; hidden directories with only the paths in them
 * that are listed. */
#include "sandbox/namespaces.h"

#include "array.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* <sys/mount.h> and <linux/mount.h> conflict in the C library of Debian 12. */
int mount(const char *source, const char *target, const char *type, unsigned long flags,
	  const void *data);
int umount2(const char *target, int flags);

enum {
	DETACH = 2,
	SLAVE = 1 << 19,
	RECURSIVE = 1 << 14,
	NO_SETUID = 1 << 1,
	NO_DEVICES = 1 << 2
};

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

/* A tree that will be mounted again, over what is now at its path. */
struct tree {
	char path[PATH_MAX];
	int fd;
	bool writable;
	bool cover;            /* over a file that must not be used */
};

struct mounts {
	struct tree *list;
	size_t count;
	struct error *err;
};

static int mounts_failed(struct mounts *m, const char *what, const char *path)
{
	return fail(m->err, MT_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

static int clone_tree(const char *path)
{
	return (int)syscall(SYS_open_tree, AT_FDCWD, path,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

/* With everything that is mounted in it. */
static int set_read_only(int fd, const char *path)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };

	return (int)syscall(SYS_mount_setattr, fd, path,
			    AT_RECURSIVE | (*path ? 0 : AT_EMPTY_PATH), &attributes,
			    sizeof attributes);
}

/* Without what is mounted in it. */
static int set_writable(const char *path)
{
	struct mount_attr attributes = { .attr_clr = MOUNT_ATTR_RDONLY };

	return (int)syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &attributes,
			    sizeof attributes);
}

static int place(const struct tree *t)
{
	return (int)syscall(SYS_move_mount, t->fd, "", AT_FDCWD, t->path,
			    MOVE_MOUNT_F_EMPTY_PATH);
}

/* ---- which trees ------------------------------------------------------------ */

static const char *const private_dirs[] = { "/tmp", "/var/tmp" };

static bool is_covered(const struct sandbox_rules *r, const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(private_dirs); i++)
		if (path_is_in(path, private_dirs[i]))
			return true;
	return path_is_in_any(path, r->hide);
}

/* Missing paths are ignored. */
static int mounts_add_tree(struct mounts *m, const char *path, const char *at,
			   bool writable)
{
	struct tree t = { .writable = writable };

	if (!realpath(at, t.path))
		return MT_OK;
	t.fd = clone_tree(path);
	if (t.fd < 0)
		return mounts_failed(m, "clone the mount of", path);
	if (!writable && set_read_only(t.fd, "") < 0) {
		close(t.fd);
		return mounts_failed(m, "make read-only", path);
	}
	if (ARRAY_ADD(m->list, m->count, ARRAY_MAX)) {
		close(t.fd);
		return out_of_memory(m->err);
	}
	m->list[m->count++] = t;
	return MT_OK;
}

static int add_list(struct mounts *m, const struct sandbox_rules *r, char *const *list,
		    bool writable, bool only_covered)
{
	int status = MT_OK;

	for (size_t i = 0; !status && list && list[i]; i++)
		if (!only_covered ||
		    (is_covered(r, list[i]) && !path_is_in_any(list[i], r->write)))
			status = mounts_add_tree(m, list[i], list[i], writable);
	return status;
}

/* Outer directories come first; at one path, the last one added is on top. */
static int compare(const void *a, const void *b)
{
	const struct tree *one = a, *other = b;
	size_t len = strlen(one->path), other_len = strlen(other->path);

	return len < other_len ? -1 : len > other_len;
}

/* qsort is not stable. */
static void mounts_sort(struct mounts *m)
{
	for (size_t i = 1; i < m->count; i++)
		for (size_t k = i; k > 0 && compare(&m->list[k - 1], &m->list[k]) > 0;
		     k--) {
			struct tree t = m->list[k];

			m->list[k] = m->list[k - 1];
			m->list[k - 1] = t;
		}
}

/* ---- mounting --------------------------------------------------------------- */

/* Creates the mount point of a tree in the directory `root`, which will be mounted at
 * `at`: directories, and for a file an empty file. */
static int make_point(const struct mounts *m, const struct tree *t, int root,
		      const char *at)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (t->cover || !path_is_in(t->path, at) || strlen(t->path) <= strlen(at))
		return MT_OK;
	snprintf(path, sizeof path, "%s", t->path + strlen(at) + 1);
	for (char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		*end = '\0';
		if (mkdirat(root, path, 0755) < 0 && errno != EEXIST)
			return fail(m->err, MT_EIO, "cannot create %s in %s: %s", path,
				    at, strerror(errno));
		*end = '/';
	}
	if (fstat(t->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (mkdirat(root, path, 0755) == 0 || errno == EEXIST)
			return MT_OK;
	} else {
		fd = openat(root, path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW,
			    0644);
		if (fd >= 0) {
			close(fd);
			return MT_OK;
		}
	}
	return fail(m->err, MT_EIO, "cannot create %s in %s: %s", path, at,
		    strerror(errno));
}

static int make_points(const struct mounts *m, int root, const char *at)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < m->count; i++)
		status = make_point(m, &m->list[i], root, at);
	return status;
}

/* An empty directory over `path`, with the mount points of trees in it. */
static int mounts_hide(struct mounts *m, const char *path)
{
	char real[PATH_MAX];
	int status;

	if (!realpath(path, real))
		return MT_OK;
	if (mount("tmpfs", real, "tmpfs", NO_SETUID | NO_DEVICES,
		  "mode=0755,size=1m,nr_inodes=8k") < 0)
		return mounts_failed(m, "hide", real);
	AUTO(close) int fd = open(real, O_DIRECTORY | O_PATH | O_CLOEXEC);

	status = fd < 0 ? mounts_failed(m, "open", real) : make_points(m, fd, real);
	return status;
}

/* Directories in hidden directories are hidden with them. */
static int hide_all(struct mounts *m, char *const *list)
{
	int status = MT_OK;

	for (size_t i = 0; !status && list && list[i]; i++) {
		bool inner = false;

		for (size_t k = 0; list[k]; k++)
			inner |= k != i && path_is_in(list[i], list[k]) &&
				 (strcmp(list[i], list[k]) != 0 || k < i);
		if (!inner)
			status = mounts_hide(m, list[i]);
	}
	return status;
}

/* The private directory at each of the public ones. */
static int add_private(struct mounts *m, const char *temporary)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(private_dirs); i++)
		status = mounts_add_tree(m, temporary, private_dirs[i], true);
	return status;
}

static int make_private_points(struct mounts *m, const char *temporary)
{
	AUTO(close) int fd = open(temporary, O_DIRECTORY | O_PATH | O_CLOEXEC);
	int status = fd < 0 ? mounts_failed(m, "open", temporary) : MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(private_dirs); i++)
		status = make_points(m, fd, private_dirs[i]);
	return status;
}

/* ---- files that must not be used --------------------------------------------- */

/* Where the sources of these mounts are, for a moment. */
static const char cover_place[] = "/proc/sys";

/* Without permissions, and its owner cannot change these on a read-only mount. */
static int make_covers(struct mounts *m)
{
	AUTO(close) int fd = -1, file = -1;

	if (mount("tmpfs", cover_place, "tmpfs", NO_SETUID | NO_DEVICES,
		  "mode=0755,size=4k,nr_inodes=8") < 0)
		return mounts_failed(m, "mount on", cover_place);
	fd = open(cover_place, O_DIRECTORY | O_PATH | O_CLOEXEC);
	if (fd < 0 || mkdirat(fd, "directory", 0) < 0 ||
	    (file = openat(fd, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0)) < 0)
		return mounts_failed(m, "create files in", cover_place);
	return MT_OK;
}

static int add_cover(struct mounts *m, const char *path)
{
	const size_t before = m->count;
	struct stat st;
	int status;

	if (lstat(path, &st) < 0)
		return MT_OK;
	status = mounts_add_tree(m,
				 S_ISDIR(st.st_mode) ? "/proc/sys/directory"
						     : "/proc/sys/file",
				 path, false);
	if (m->count > before)
		m->list[before].cover = true;
	return status;
}

static int add_covers(struct mounts *m, char *const *list)
{
	int status;

	if (!list)
		return MT_OK;
	status = make_covers(m);
	for (size_t i = 0; !status && list[i]; i++)
		status = add_cover(m, list[i]);
	if (!status && umount2(cover_place, DETACH) < 0)
		status = mounts_failed(m, "unmount", cover_place);
	return status;
}

static int mounts_collect(struct mounts *m, const struct sandbox_rules *r,
			  const char *temporary)
{
	int status = add_private(m, temporary);

	/* Root is the owner of the settings of the kernel. */
	if (!status)
		status = mounts_add_tree(m, "/proc/sys", "/proc/sys", false);
	if (!status)
		status = add_list(m, r, r->read, false, true);
	if (!status)
		status = add_list(m, r, r->sockets, false, true);
	if (!status)
		status = add_list(m, r, r->write, true, false);
	if (!status)
		status = add_list(m, r, r->protect, false, false);
	if (!status)
		status = add_covers(m, r->cover);
	mounts_sort(m);
	return status;
}

/* In a directory that must not be used. */
static bool is_in_cover(const struct mounts *m, const struct tree *t)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].cover && strcmp(m->list[i].path, t->path) != 0 &&
		    path_is_in(t->path, m->list[i].path))
			return true;
	return false;
}

static int mounts_place(struct mounts *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (!is_in_cover(m, &m->list[i]) && place(&m->list[i]) < 0)
			return mounts_failed(m, "mount", m->list[i].path);
	return MT_OK;
}

/* The processes of the sandbox write to files of their own in /proc; which ones, Landlock
 * decides. Shared memory is private. */
static int mounts_private(struct mounts *m)
{
	if (set_writable("/proc") < 0)
		return mounts_failed(m, "make writable", "/proc");
	if (mount("tmpfs", "/dev/shm", "tmpfs", NO_SETUID | NO_DEVICES, "mode=1777") <
		    0 &&
	    errno != ENOENT)
		return mounts_failed(m, "mount", "/dev/shm");
	return MT_OK;
}

int mounts_make(const struct sandbox_rules *r, const char *temporary, struct error *err)
{
	struct mounts m = { .err = err };
	int status = MT_OK;

	if (mount("none", "/", "none", SLAVE | RECURSIVE, "") < 0)
		status = mounts_failed(&m, "detach the mounts of", "/");
	if (!status)
		status = mounts_collect(&m, r, temporary);
	if (!status)
		status = make_private_points(&m, temporary);
	if (!status)
		status = hide_all(&m, r->hide);
	if (!status && set_read_only(AT_FDCWD, "/") < 0)
		status = mounts_failed(&m, "make read-only", "/");
	if (!status)
		status = mounts_place(&m);
	if (!status)
		status = mounts_private(&m);
	for (size_t i = 0; i < m.count; i++)
		close(m.list[i].fd);
	free(m.list);
	return status;
}
