/* SPDX-License-Identifier: MIT
 *
 * file-guard.c - stores protected files, and restores them.
 *
 * Tools own the directories in which this works, and may replace any part of a path by a
 * symbolic link. Therefore the parent directory of a file is opened without following any,
 * and everything else is relative to that descriptor. */
#include "sandbox/file-guard.h"

#include "array.h"
#include "auto.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	GUARDED_MAX = 4096,
	FILE_BYTES_MAX = 1 << 20,
	BYTES_MAX = 8 << 20,
	DEPTH_MAX = 16,
	REPORTS_MAX = 5, /* files that are named */
	TEXT_MAX = PATH_MAX + 256,
};

struct guarded_file {
	char *path;     /* absolute, without symbolic links */
	bool exists;
	bool shallow;   /* a directory whose entries may change */
	bool stored;    /* `bytes` is complete */
	struct stat st; /* when it was as it should be */
	char *bytes;    /* of a file, or the target of a link */
	size_t len;
};

struct check {
	struct file_guard *guard;
	void (*report)(const char *text, void *arg);
	void *arg;
	unsigned changed;
};

/* ---- paths ------------------------------------------------------------------- */

/* The directory of a path, which the user can write; -1: errno. */
static int open_parent(const char *path, const char **ret_name)
{
	const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS };
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX], self[64];
	struct stat st;
	int fd;

	snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - path),
		 path);
	*ret_name = slash + 1;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, parent, &how, sizeof how);
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700 &&
	    st.st_uid == geteuid()) {
		snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
		(void)!chmod(self, (st.st_mode & 07777) | 0700);
	}
	return fd;
}

static struct guarded_file *guard_find(const struct file_guard *g, const char *path)
{
	for (size_t i = 0; i < g->count; i++)
		if (strcmp(g->list[i].path, path) == 0)
			return &g->list[i];
	return NULL;
}

static DIR *open_entries(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !all)
		close(fd);
	return all;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* ---- storing ----------------------------------------------------------------- */

/* `*ret_len` bytes of a file; NULL: it is too large, or cannot be read. */
static char *read_guarded(int parent, const char *name, size_t room, size_t *ret_len)
{
	AUTO(close) int fd =
		openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *bytes;
	ssize_t n;

	*ret_len = 0;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)room)
		return NULL;
	bytes = malloc((size_t)st.st_size + 1);
	while (bytes && *ret_len < (size_t)st.st_size &&
	       (n = read(fd, bytes + *ret_len, (size_t)st.st_size - *ret_len)) > 0)
		*ret_len += (size_t)n;
	return bytes;
}

static void store_bytes(struct file_guard *g, struct guarded_file *f, int parent,
			const char *name)
{
	size_t left = BYTES_MAX - g->bytes;
	char target[PATH_MAX];
	ssize_t n;

	if (S_ISREG(f->st.st_mode)) {
		f->bytes = read_guarded(parent, name,
					left < FILE_BYTES_MAX ? left : FILE_BYTES_MAX,
					&f->len);
	} else if (S_ISLNK(f->st.st_mode) &&
		   (n = readlinkat(parent, name, target, sizeof target - 1)) > 0) {
		target[n] = '\0';
		f->bytes = strdup(target);
		f->len = (size_t)n;
	}
	f->stored = f->bytes != NULL;
	g->bytes += f->len;
}

static int store(struct file_guard *g, const char *path, bool shallow, int depth)
{
	struct guarded_file f = { .path = strdup(path), .shallow = shallow };
	const char *name;
	AUTO(close) int parent = open_parent(path, &name);
	const struct dirent *entry;
	int status = MT_OK;
	DIR *all = NULL;

	if (!f.path || guard_find(g, path) || ARRAY_ADD(g->list, g->count, GUARDED_MAX)) {
		free(f.path);
		return MT_OK;
	}
	f.exists = parent >= 0 && fstatat(parent, name, &f.st, AT_SYMLINK_NOFOLLOW) == 0;
	if (f.exists)
		store_bytes(g, &f, parent, name);
	g->list[g->count++] = f;
	if (f.exists && S_ISDIR(f.st.st_mode) && !shallow && depth < DEPTH_MAX)
		all = open_entries(parent, name);
	while (all && !status && (entry = readdir(all))) {
		AUTO(free) char *inner = NULL;

		if (is_dots(entry->d_name))
			continue;
		inner = path_join(path, entry->d_name);
		status = inner ? store(g, inner, false, depth + 1) : MT_ENOMEM;
	}
	if (all)
		closedir(all);
	return status;
}

/* The directory of a protected file; for the settings of a repository, with what git would
 * also use there. */
static int store_around(struct file_guard *g, const char *path)
{
	static const char *const siblings[] = { "config.worktree", "hooks",
						"commondir" };
	const char *slash = strrchr(path, '/');
	AUTO(free) char *parent = strndup(path, (size_t)(slash - path));
	int status = MT_OK;

	if (!parent)
		return MT_ENOMEM;
	if (*parent)
		status = store(g, parent, true, 0);
	for (size_t i = 0;
	     !status && strcmp(slash, "/config") == 0 && i < ARRAY_LEN(siblings); i++) {
		AUTO(free) char *sibling = path_join(parent, siblings[i]);

		status = sibling ? store(g, sibling, false, 0) : MT_ENOMEM;
	}
	return status;
}

/* No mount can hold a file that does not exist: `commondir` names another directory for
 * the settings of a repository. */
static int store_missing(struct file_guard *g, const struct sandbox_rules *r)
{
	int status = MT_OK;

	for (size_t i = 0; !status && r->protect && r->protect[i]; i++) {
		const char *slash = strrchr(r->protect[i], '/');
		AUTO(strbuf) struct strbuf path = STRBUF(PATH_MAX);

		if (strcmp(slash, "/config") != 0)
			continue;
		status = strbuf_addf(&path, "%.*s/commondir",
				     (int)(slash - r->protect[i]), r->protect[i]);
		if (!status && access(path.text, F_OK) < 0)
			status = store(g, path.text, false, 0);
	}
	if (status)
		file_guard_clear(g);
	return status;
}

/* Mounts on these files would keep git from removing a linked work tree. */
static int store_work_trees(struct file_guard *g, const char *repository)
{
	static const char *const files[] = { "commondir", "config.worktree" };
	AUTO(free) char *path = path_join(repository, "worktrees");
	DIR *all = path ? opendir(path) : NULL;
	const struct dirent *entry;
	int status = path ? MT_OK : MT_ENOMEM;

	while (all && !status && (entry = readdir(all))) {
		AUTO(free) char *dir = path_join(path, entry->d_name);

		status = dir ? MT_OK : MT_ENOMEM;
		for (size_t i = 0;
		     !status && !is_dots(entry->d_name) && i < ARRAY_LEN(files); i++) {
			AUTO(free) char *file = path_join(dir, files[i]);

			status = file ? store(g, file, false, 0) : MT_ENOMEM;
		}
	}
	if (all)
		closedir(all);
	return status;
}

static int store_all_work_trees(struct file_guard *g, const struct sandbox_rules *r)
{
	int status = MT_OK;

	for (size_t i = 0; !status && r->protect && r->protect[i]; i++) {
		const char *slash = strrchr(r->protect[i], '/');
		AUTO(free) char *dir =
			strndup(r->protect[i], (size_t)(slash - r->protect[i]));

		if (strcmp(slash, "/config") == 0)
			status = dir ? store_work_trees(g, dir) : MT_ENOMEM;
	}
	return status;
}

int file_guard_start(struct file_guard *g, const struct sandbox_rules *r, bool mounted)
{
	int status;

	*g = (struct file_guard){ 0 };
	if (mounted && store_missing(g, r))
		return MT_ENOMEM;
	status = store_all_work_trees(g, r);
	if (status)
		file_guard_clear(g);
	if (status || mounted)
		return status;
	for (size_t i = 0; !status && r->protect && r->protect[i]; i++) {
		status = store_around(g, r->protect[i]);
		if (!status)
			status = store(g, r->protect[i], false, 0);
	}
	for (size_t i = 0; !status && r->write && r->write[i]; i++) {
		AUTO(free) char *own = path_join(r->write[i], ".mortise");

		status = own ? store(g, own, false, 0) : MT_ENOMEM;
	}
	if (status)
		file_guard_clear(g);
	return status;
}

void file_guard_clear(struct file_guard *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->list[i].path);
		free(g->list[i].bytes);
	}
	free(g->list);
	*g = (struct file_guard){ 0 };
}

/* ---- restoring --------------------------------------------------------------- */

static bool remove_tree(int parent, const char *name, int depth)
{
	const struct dirent *entry;
	char self[64];
	DIR *all;
	int fd;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return true;
	fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || depth >= DEPTH_MAX)
		return fd >= 0 && close(fd) != 0;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	(void)!chmod(self, 0700);
	all = open_entries(fd, ".");
	while (all && (entry = readdir(all)))
		if (!is_dots(entry->d_name))
			remove_tree(fd, entry->d_name, depth + 1);
	if (all)
		closedir(all);
	close(fd);
	return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* The name of what was reverted: the change may have been the user's. Neither git nor
 * Mortise reads a file of this name. */
static const char aside[] = ".reverted";

static bool is_aside(int parent, const char *name)
{
	size_t len = strlen(name), end = strlen(aside);
	struct stat st;

	return len > end && strcmp(name + len - end, aside) == 0 &&
	       fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode);
}

static bool set_aside(int parent, const char *name)
{
	char other[NAME_MAX + sizeof aside];

	snprintf(other, sizeof other, "%s%s", name, aside);
	return (remove_tree(parent, other, 0) &&
		renameat(parent, name, parent, other) == 0) ||
	       remove_tree(parent, name, 0);
}

static bool restore_file(const struct guarded_file *f, int parent, const char *name)
{
	const struct timespec times[2] = { f->st.st_atim, f->st.st_mtim };
	char temporary[64];
	int fd;
	bool good;

	snprintf(temporary, sizeof temporary, ".mortise-restore-%d", (int)getpid());
	unlinkat(parent, temporary, 0);
	fd = openat(parent, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	good = !file_write_all(fd, f->bytes, f->len) &&
	       fchmod(fd, f->st.st_mode & 07777) == 0 && futimens(fd, times) == 0;
	close(fd);
	if (good && renameat(parent, temporary, parent, name) == 0)
		return true;
	unlinkat(parent, temporary, 0);
	return false;
}

/* `now`: what is there; NULL: nothing. */
static bool restore(const struct guarded_file *f, int parent, const char *name,
		    const struct stat *now)
{
	const mode_t type = f->exists ? f->st.st_mode & S_IFMT : 0;

	if (now && (now->st_mode & S_IFMT) == S_IFDIR && type == S_IFDIR) {
		AUTO(close) int fd =
			openat(parent, name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		return fd >= 0 && fchmod(fd, f->st.st_mode & 07777) == 0;
	}
	if (now && !set_aside(parent, name))
		return false;
	switch (type) {
	case S_IFREG:
		return f->stored && restore_file(f, parent, name);
	case S_IFLNK:
		return f->stored && symlinkat(f->bytes, parent, name) == 0;
	case S_IFDIR:
		return mkdirat(parent, name, f->st.st_mode & 07777) == 0;
	}
	return !f->exists;
}

/* ---- comparing --------------------------------------------------------------- */

static bool same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_mode == b->st_mode && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool same_contents(const struct guarded_file *f, int parent, const char *name,
			  const struct stat *now)
{
	AUTO(free) char *bytes = NULL;
	char target[PATH_MAX];
	size_t len = 0;

	if (f->shallow)
		return S_ISDIR(now->st_mode);
	if (f->st.st_mode != now->st_mode)
		return false;
	if (S_ISDIR(now->st_mode))
		return true;
	if (!f->stored)
		return false;
	if (S_ISLNK(now->st_mode)) {
		ssize_t n = readlinkat(parent, name, target, sizeof target);

		return n == (ssize_t)f->len && memcmp(target, f->bytes, f->len) == 0;
	}
	bytes = read_guarded(parent, name, FILE_BYTES_MAX, &len);
	return bytes && len == f->len && memcmp(bytes, f->bytes, len) == 0;
}

static void report_change(struct check *c, const char *path, bool restored)
{
	char text[TEXT_MAX];

	if (c->changed++ >= REPORTS_MAX && restored)
		return;
	snprintf(text, sizeof text,
		 restored ? "%s was changed while tools ran. The change was reverted, "
			    "because it can make programs of the user run code. What "
			    "was new is in a file of the same name with .reverted at its "
			    "end. The user can change it."
			  : "%s was changed while tools ran, and this could not be "
			    "reverted. Check it: it can make programs of the user run "
			    "code.",
		 path);
	c->report(text, c->arg);
}

/* A directory is not kept, because its new name might be read too: that of a skill, for
 * example. */
static bool remove_planted_entry(int parent, const char *name)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		return remove_tree(parent, name, 0);
	return set_aside(parent, name);
}

/* Entries of a guarded directory that were not there. */
static void remove_planted(struct check *c, const struct guarded_file *f, int parent,
			   const char *name)
{
	DIR *all = open_entries(parent, name);
	const struct dirent *entry;

	while (all && (entry = readdir(all))) {
		AUTO(free) char *path = path_join(f->path, entry->d_name);

		if (path && !is_dots(entry->d_name) &&
		    !is_aside(dirfd(all), entry->d_name) && !guard_find(c->guard, path))
			report_change(c, path,
				      remove_planted_entry(dirfd(all), entry->d_name));
	}
	if (all)
		closedir(all);
}

static void check_file(struct check *c, struct guarded_file *f)
{
	const char *name;
	AUTO(close) int parent = open_parent(f->path, &name);
	struct stat now = { 0 };
	bool exists, good = true;

	if (parent < 0)
		return; /* its directory is gone or was reported */
	exists = fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
	if (exists == f->exists && (!exists || same_stat(&f->st, &now)))
		return;
	if (f->shallow && !exists)
		return;
	if (exists != f->exists || !same_contents(f, parent, name, &now)) {
		good = restore(f, parent, name, exists ? &now : NULL);
		report_change(c, f->path, good);
	}
	if (f->exists && S_ISDIR(f->st.st_mode) && !f->shallow)
		remove_planted(c, f, parent, name);
	/* What could not be restored is reported once. */
	if (fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (good || f->exists)) {
		const mode_t mode = f->st.st_mode;

		f->st = now;
		f->st.st_mode = good ? now.st_mode : mode;
	}
}

void file_guard_check(struct file_guard *g, void (*report)(const char *text, void *arg),
		      void *arg)
{
	struct check c = { g, report, arg, 0 };
	char text[128];

	for (size_t i = 0; i < g->count; i++)
		check_file(&c, &g->list[i]);
	if (c.changed <= REPORTS_MAX)
		return;
	snprintf(
		text, sizeof text,
		"%u more protected files were changed while tools ran, and treated in the "
		"same way.",
		c.changed - REPORTS_MAX);
	report(text, arg);
}
