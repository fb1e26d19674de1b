/* SPDX-License-Identifier: MIT
 *
 * trusted-path.c - checks whether another user can replace the file at a path. */
#include "registry/trusted-path.h"

#include "auto.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

static bool is_trusted_owner(uid_t owner)
{
	return owner == 0 || owner == geteuid();
}

const char *trusted_file(const struct stat *st)
{
	if (!is_trusted_owner(st->st_uid))
		return "owned by another user; only plugins owned by you or root are "
		       "loaded";
	if (st->st_mode & 022)
		return "writable by other users; run chmod go-w on it";
	return NULL;
}

/* True if others can rename entries of a directory. Root decides about the groups of its
 * directories, as Debian does for /usr/local, and many users have a private group. */
static bool is_open(const struct stat *st)
{
	bool group = st->st_mode & 020 && st->st_uid != 0 && st->st_gid != getegid();

	return !(st->st_mode & S_ISVTX) && (group || st->st_mode & 002);
}

/* `st`: of a directory in the path of the file, or of a symbolic link to one. */
static int check_place(const char *path, const struct stat *st, struct error *err)
{
	if (!is_trusted_owner(st->st_uid))
		return fail(err, MT_EDENIED, "another user owns %s, and can replace it",
			    path);
	if (S_ISDIR(st->st_mode) && is_open(st))
		return fail(err, MT_EDENIED,
			    "other users can replace it, because they can write to %s; "
			    "run chmod go-w on that directory",
			    path);
	return MT_OK;
}

/* A partly resolved path: `done` has no symbolic links; `rest` is not yet resolved. */
struct way {
	char done[PATH_MAX], rest[PATH_MAX];
	unsigned links;
};

/* Put the target of a symbolic link, `len` bytes, in front of the rest. */
static int follow(struct way *w, const char *target, struct error *err)
{
	char rest[PATH_MAX];
	int n = snprintf(rest, sizeof rest, "%s/%s", target, w->rest);

	if (++w->links > LINKS_MAX || n < 0 || n >= (int)sizeof rest)
		return fail(err, MT_EIO, "%s",
			    strerror(w->links > LINKS_MAX ? ELOOP : ENAMETOOLONG));
	memcpy(w->rest, rest, (size_t)n + 1);
	if (*target == '/')
		w->done[0] = '\0';
	return MT_OK;
}

/* Append a path to the rest. */
static int append(struct way *w, const char *path, struct error *err)
{
	size_t len = strlen(w->rest), room = sizeof w->rest - len;
	int n = snprintf(w->rest + len, room, "/%s", path);

	return n < 0 || n >= (int)room ? fail(err, MT_EIO, "%s", strerror(ENAMETOOLONG))
				       : MT_OK;
}

static bool has_rest(const struct way *w)
{
	return w->rest[strspn(w->rest, "/")];
}

/* Remove the first component from the rest. */
static int take_component(struct way *w, char name[NAME_MAX + 1], struct error *err)
{
	const char *start = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(start, "/");

	if (len > NAME_MAX)
		return fail(err, MT_EIO, "%s", strerror(ENAMETOOLONG));
	memcpy(name, start, len);
	name[len] = '\0';
	memmove(w->rest, start + len, strlen(start + len) + 1);
	return MT_OK;
}

/* Append a component to `done` and check it. */
static int enter(struct way *w, const char *name, struct error *err)
{
	size_t len = strlen(w->done);
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (strcmp(name, ".") == 0)
		return MT_OK;
	if (strcmp(name, "..") == 0) {
		*(len ? strrchr(w->done, '/') : w->done) = '\0';
		return MT_OK;
	}
	if (snprintf(w->done + len, sizeof w->done - len, "/%s", name) >=
	    (int)(sizeof w->done - len))
		return fail(err, MT_EIO, "%s", strerror(ENAMETOOLONG));
	if (lstat(w->done, &st) != 0)
		return fail(err, MT_EIO, "%s", strerror(errno));
	if (!S_ISLNK(st.st_mode))
		return has_rest(w) ? check_place(w->done, &st, err) : MT_OK;
	n = readlink(w->done, target, sizeof target - 1);
	if (n < 0)
		return fail(err, MT_EIO, "%s", strerror(errno));
	target[n] = '\0';
	if (check_place(w->done, &st, err))
		return err ? err->code : MT_EDENIED;
	w->done[len] = '\0';
	return follow(w, target, err);
}

int trusted_way(const char *path, struct error *err)
{
	AUTO(free) struct way *w = calloc(1, sizeof *w);
	char name[NAME_MAX + 1];
	struct stat root;
	int r;

	if (!w)
		return out_of_memory(err);
	r = stat("/", &root) ? fail(err, MT_EIO, "%s", strerror(errno))
			     : check_place("/", &root, err);
	if (!r && *path != '/' && !getcwd(w->rest, sizeof w->rest))
		r = fail(err, MT_EIO, "%s", strerror(errno));
	if (!r)
		r = append(w, path, err);
	while (!r && has_rest(w)) {
		r = take_component(w, name, err);
		if (!r)
			r = enter(w, name, err);
	}
	return r;
}
