/* SPDX-License-Identifier: MIT
 *
 * tool-ignore.c - finds the files that `.mortise/ignore` keeps from tools. */
#include "tool-ignore.h"

#include "auto.h"
#include "ignore.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEVELS_MAX = 128 };

/* The rules of a directory and of those above it; the first one is /. */
struct levels {
	struct ignore list[LEVELS_MAX];
	size_t count;
	bool any;              /* one of them has rules */
};

static void auto_levels(struct levels *l)
{
	while (l->count)
		ignore_close(&l->list[--l->count]);
}

/* The rules of the directory that the first `len` bytes of `path` name, without the
 * leading slash. */
static int levels_push(struct levels *l, const char *path, size_t len)
{
	AUTO(free) char *name = strndup(path, len + 1);
	AUTO(close) int fd = name ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const struct ignore *above = l->count ? &l->list[l->count - 1] : NULL;
	int status;

	if (!name || l->count == LEVELS_MAX)
		return name ? MT_ELIMIT : MT_ENOMEM;
	status = ignore_open_tools(&l->list[l->count], above, fd, len);
	l->any = l->any || (!status && l->list[l->count].own[0]);
	l->count += !status;
	return status;
}

static bool tool_ignore_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Do the rules match the path or a directory above it? Fills the levels of these. */
static bool levels_match(struct levels *l, const char *path)
{
	size_t len = 0;

	while (path[len] && path[len + 1]) {
		AUTO(free) char *part = NULL;

		if (levels_push(l, path, len))
			return true;
		len += strcspn(path + len + 1, "/") + 1;
		part = strndup(path, len);
		if (!part || (l->any && strcmp(strrchr(part, '/'), "/.mortise") != 0 &&
			      ignore_has(&l->list[l->count - 1], part + 1,
					 path[len] || tool_ignore_is_directory(part))))
			return true;
	}
	return false;
}

static bool tool_ignore_is_plain(const char *path)
{
	size_t len = strlen(path);

	return *path == '/' && !strstr(path, "//") && !strstr(path, "/./") &&
	       !strstr(path, "/../") && path[len - 1] != '/' &&
	       !(len > 2 && strcmp(path + len - 2, "/.") == 0) &&
	       !(len > 3 && strcmp(path + len - 3, "/..") == 0);
}

static bool tool_ignore_matches(const char *path)
{
	AUTO(levels) struct levels l = { .count = 0 };

	return levels_match(&l, path);
}

/* The path with symbolic links resolved; of a missing file, those of its directory. */
static bool tool_ignore_resolve(const char *path, char *ret)
{
	AUTO(free) char *above = strdup(path);
	char *slash = above ? strrchr(above, '/') : NULL;
	size_t len;

	if (realpath(path, ret))
		return true;
	if (!slash)
		return false;
	*slash = '\0';
	if (!realpath(*above ? above : "/", ret))
		return false;
	len = strlen(ret);
	len -= len == 1;
	if (len + 1 + strlen(slash + 1) >= PATH_MAX)
		return false;
	ret[len] = '/';
	memcpy(ret + len + 1, slash + 1, strlen(slash + 1) + 1);
	return true;
}

bool tool_ignore_has(const char *path)
{
	char real[PATH_MAX];
	bool plain = tool_ignore_is_plain(path);

	if (plain && tool_ignore_matches(path))
		return true;
	return tool_ignore_resolve(path, real) && (!plain || strcmp(path, real) != 0) &&
	       tool_ignore_matches(real);
}

int tool_ignore_check(const char *path, struct error *err)
{
	return tool_ignore_has(path)
		       ? fail(err, MT_EDENIED,
			      "The user does not allow tools to read or change %s: "
			      "it matches `.mortise/ignore`. Continue without it.",
			      path)
		       : MT_OK;
}

/* ---- all files ---------------------------------------------------------------- */

struct scan {
	struct strbuf path;
	size_t left;
	tool_ignore_fn *fn;
	void *arg;
};

static int scan_directory(struct scan *s, int fd, const struct ignore *above,
			  unsigned depth);

static int scan_entry(struct scan *s, int dir_fd, const struct dirent *entry,
		      const struct ignore *rules, unsigned depth)
{
	struct stat st;
	bool is_dir = entry->d_type == DT_DIR;
	int fd;

	if (entry->d_type == DT_UNKNOWN)
		is_dir = fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			 S_ISDIR(st.st_mode);
	if (ignore_has(rules, s->path.text + 1, is_dir))
		return s->fn(s->arg, s->path.text);
	fd = is_dir && depth < LEVELS_MAX && strcmp(entry->d_name, ".git") != 0
		     ? openat(dir_fd, entry->d_name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
		     : -1;
	return fd < 0 ? MT_OK : scan_directory(s, fd, rules, depth + 1);
}

/* Takes the descriptor. */
static int scan_directory(struct scan *s, int fd, const struct ignore *above,
			  unsigned depth)
{
	DIR *dir = fdopendir(fd);
	size_t len = s->path.len;
	struct ignore own;
	struct dirent *entry;
	int status;

	if (!dir) {
		close(fd);
		return MT_ENOMEM;
	}
	status = ignore_open_tools(&own, above, fd, len);
	if (status) {
		closedir(dir);
		return status;
	}
	while (!status && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, ".mortise") == 0)
			continue;
		if (!s->left--)
			status = MT_ELIMIT;
		else if (strbuf_addf(&s->path, "/%s", entry->d_name))
			status = s->path.error;
		else
			status = scan_entry(s, fd, entry, &own, depth);
		strbuf_cut(&s->path, len);
	}
	ignore_close(&own);
	closedir(dir);
	return status;
}

int tool_ignore_each(const char *directory, size_t max, tool_ignore_fn *fn, void *arg)
{
	AUTO(levels) struct levels l = { .count = 0 };
	struct scan s = { .path = STRBUF(1 << 16), .left = max, .fn = fn, .arg = arg };
	int status = MT_OK, fd;

	if (levels_match(&l, directory)) {
		status = fn(arg, directory);
	} else {
		fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && faccessat(fd, ".mortise/ignore", F_OK, 0) == 0)
			l.any = true;
		if (fd >= 0 && !l.any)
			auto_close(&fd);
		else if (fd >= 0)
			status =
				strbuf_add(&s.path, directory)
					? (close(fd), MT_ENOMEM)
					: scan_directory(&s, fd, &l.list[l.count - 1], 0);
	}
	strbuf_clear(&s.path);
	return status;
}
