/* SPDX-License-Identifier: MIT
 *
 * copy.c - copies a directory tree without following links. */
#include "copy.h"

#include "auto.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 200, PIECE = 1 << 16 };

struct copy {
	struct copy_limits left;
	dev_t dev; /* of the destination directory, to skip it */
	ino_t ino;
	struct error *err;
};

static int copy_dir(struct copy *c, int from, int to, const char *path, int depth);

static int fail_at(struct copy *c, const char *path, const char *verb)
{
	return fail(c->err, MT_EIO, "cannot %s %s: %s", verb, path, strerror(errno));
}

static int copy_bytes(struct copy *c, int from, int to, const char *path)
{
	AUTO(free) char *piece = malloc(PIECE);
	ssize_t n;

	if (!piece)
		return out_of_memory(c->err);
	while ((n = read(from, piece, PIECE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_at(c, path, "read");
		c->left.bytes -= n;
		if (c->left.bytes < 0)
			return fail(c->err, MT_ELIMIT, "too much data to copy");
		if (file_write_all(to, piece, (size_t)n))
			return fail_at(c, path, "copy");
	}
	return MT_OK;
}

static int copy_file(struct copy *c, int from, int to, const char *name, const char *path)
{
	AUTO(close) int in =
		openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	AUTO(close) int out = -1;
	struct stat st;

	if (in < 0 || fstat(in, &st) < 0)
		return fail_at(c, path, "read");
	if (!S_ISREG(st.st_mode))
		return MT_OK;
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		     0600);
	if (out < 0)
		return fail_at(c, path, "copy");
	if (copy_bytes(c, in, out, path))
		return c->err->code;
	return fchmod(out, st.st_mode & 0777) < 0 ? fail_at(c, path, "copy") : MT_OK;
}

static int copy_link(struct copy *c, int from, int to, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from, name, target, sizeof target - 1);

	if (n < 0)
		return fail_at(c, path, "read");
	target[n] = '\0';
	return symlinkat(target, to, name) < 0 ? fail_at(c, path, "copy") : MT_OK;
}

static int copy_below(struct copy *c, int from, int to, const char *name,
		      const char *path, int depth)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	AUTO(close) int in = openat(from, name, flags);
	AUTO(close) int out = -1;
	struct stat st;
	int r;

	if (in < 0 || fstat(in, &st) < 0)
		return fail_at(c, path, "read");
	if (st.st_dev == c->dev && st.st_ino == c->ino)
		return MT_OK;
	if (mkdirat(to, name, 0700) < 0)
		return fail_at(c, path, "copy");
	out = openat(to, name, flags);
	if (out < 0)
		return fail_at(c, path, "copy");
	r = copy_dir(c, in, out, path, depth + 1);
	if (!r && fchmod(out, (st.st_mode & 0777) | 0700) < 0)
		r = fail_at(c, path, "copy");
	return r;
}

static int copy_one(struct copy *c, int from, int to, const char *name, const char *dir,
		    int depth)
{
	AUTO(free) char *path = path_join(dir, name);
	struct stat st;

	if (!path)
		return out_of_memory(c->err);
	if (c->left.files-- <= 0)
		return fail(c->err, MT_ELIMIT, "too many files to copy");
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_at(c, path, "read");
	if (S_ISREG(st.st_mode))
		return copy_file(c, from, to, name, path);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, from, to, name, path);
	return S_ISDIR(st.st_mode) ? copy_below(c, from, to, name, path, depth) : MT_OK;
}

static int copy_dir(struct copy *c, int from, int to, const char *path, int depth)
{
	int fd = depth < DEPTH_MAX ? fcntl(from, F_DUPFD_CLOEXEC, 3) : -1;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *d;
	int r = MT_OK;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return depth < DEPTH_MAX
			       ? fail_at(c, path, "read")
			       : fail(c->err, MT_ELIMIT,
				      "%s: directories are nested too deeply to copy",
				      path);
	}
	while (!r && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			r = copy_one(c, from, to, d->d_name, path, depth);
	closedir(dir);
	return r;
}

int copy_directory(const char *from, const char *to, const struct copy_limits *limits,
		   struct error *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	AUTO(close) int in = open(from, flags), out = open(to, flags);
	struct error why = ERROR_NONE;
	struct copy c = { .left = *limits, .err = &why };
	struct stat st;
	int r;

	if (in < 0 || out < 0 || fstat(out, &st) < 0)
		return fail(err, MT_EIO, "cannot open %s: %s", in < 0 ? from : to,
			    strerror(errno));
	c.dev = st.st_dev;
	c.ino = st.st_ino;
	r = copy_dir(&c, in, out, from, 0);
	return r ? fail(err, r, "%s: %s", from, why.text) : MT_OK;
}
