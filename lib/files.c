/* SPDX-License-Identifier: MIT
 *
 * files.c - reads and writes whole files and creates directories, with limits. */
#include "files.h"
#include "signals.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REMOVE_DEPTH = 200 }; /* each level keeps a descriptor open */

static int files_fail_errno(struct error *err, const char *path, const char *verb)
{
	int number = errno;
	int code = MT_EIO;

	if (number == ENOENT || number == ENOTDIR)
		code = MT_ENOTFOUND;
	else if (number == EACCES || number == EPERM || number == EROFS)
		code = MT_EDENIED;
	else if (number == EEXIST)
		code = MT_EEXIST;
	return fail(err, code, "cannot %s %s: %s", verb, path, strerror(number));
}

int file_read_fd(int fd, const char *path, size_t max_bytes, struct strbuf *text,
		 struct error *err)
{
	char piece[16384];

	for (;;) {
		ssize_t n = read(fd, piece, sizeof piece);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return files_fail_errno(err, path, "read");
		if (n == 0)
			return MT_OK;
		if ((size_t)n > max_bytes - text->len)
			return fail(err, MT_ELIMIT, "%s: larger than %zu bytes", path,
				    max_bytes);
		if (strbuf_addn(text, piece, (size_t)n))
			return out_of_memory(err);
	}
}

int file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
	      struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SIZE_MAX / 2);
	/* A pipe without a writer must not block. */
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int status;

	if (fd < 0)
		return files_fail_errno(err, path, "open");
	if (fstat(fd, &st) != 0)
		return files_fail_errno(err, path, "access");
	if (!S_ISREG(st.st_mode))
		return fail(err, MT_EINVAL, "%s is %s, not a file", path,
			    S_ISDIR(st.st_mode) ? "a directory" : "a device or pipe");
	if (st.st_size > 0 && (uintmax_t)st.st_size > max_bytes)
		return fail(err, MT_ELIMIT, "%s: larger than %zu bytes", path, max_bytes);
	strbuf_reserve(&text, (size_t)st.st_size);
	status = file_read_fd(fd, path, max_bytes, &text, err);
	if (status)
		return status;

	size_t len = text.len;
	char *taken = strbuf_take(&text);

	if (!taken)
		return out_of_memory(err);
	*ret_text = taken;
	if (ret_len)
		*ret_len = len;
	return MT_OK;
}

int file_write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return MT_EIO;
		bytes += n;
		len -= (size_t)n;
	}
	return MT_OK;
}

static int sync_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO(free) char *dir =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	AUTO(close) int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	return fd >= 0 && fsync(fd) == 0 ? MT_OK : MT_EIO;
}

/* `*ret_unsynced`: a requested sync failed; NULL: no sync is requested. */
static int write_and_rename(const char *path, const char *bytes, size_t len, mode_t mode,
			    bool *ret_unsynced, struct error *err)
{
	AUTO(strbuf) struct strbuf temp = STRBUF(1 << 16);
	AUTO(close) int fd = -1;
	bool done;
	int status;

	if (strbuf_addf(&temp, "%s.XXXXXX", path))
		return fail(err, temp.error, "%s: %s", path, status_name(temp.error));
	fd = mkostemp(temp.text, O_CLOEXEC);
	if (fd < 0)
		return files_fail_errno(err, path, "write");
	done = !file_write_all(fd, bytes, len) && fchmod(fd, mode) == 0;
	if (done && ret_unsynced)
		*ret_unsynced = fsync(fd) != 0;
	if (!done || (ret_unsynced && *ret_unsynced) || rename(temp.text, path) != 0) {
		status = files_fail_errno(err, path,
					  ret_unsynced && *ret_unsynced ? "sync"
									: "write");
		unlink(temp.text);
		return status;
	}
	if (!ret_unsynced || !sync_directory_of(path))
		return MT_OK;
	*ret_unsynced = true;
	return files_fail_errno(err, path, "sync");
}

/* Block the signals that would terminate the program, so that no temporary file
 * remains. */
static int files_write_temporary(const char *path, const char *bytes, size_t len,
				 mode_t mode, bool *ret_unsynced, struct error *err)
{
	sigset_t before;
	int status;

	signals_hold(&before);
	status = write_and_rename(path, bytes, len, mode, ret_unsynced, err);
	signals_release(&before);
	return status;
}

int file_write_durable(const char *path, const char *bytes, size_t len, mode_t mode,
		       bool *ret_unsynced, struct error *err)
{
	*ret_unsynced = false;
	return files_write_temporary(path, bytes, len, mode, ret_unsynced, err);
}

int file_write(const char *path, const char *bytes, size_t len, mode_t mode, bool durable,
	       struct error *err)
{
	bool unsynced = false;

	return files_write_temporary(path, bytes, len, mode, durable ? &unsynced : NULL,
				     err);
}

char *file_target(const char *path, bool *ret_special, struct error *err)
{
	struct stat st;
	bool found = stat(path, &st) == 0;
	char *target;

	if (!*path) {
		fail(err, MT_EINVAL, "the file name is empty");
		return NULL;
	}
	*ret_special = found && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	if (!found && lstat(path, &st) == 0) {
		fail(err, MT_ENOTFOUND,
		     "cannot write %s: it is a link to a file that does "
		     "not exist; remove the link, or name the file",
		     path);
		return NULL;
	}
	target = found && !*ret_special ? realpath(path, NULL) : strdup(path);
	if (!target)
		files_fail_errno(err, path, "write");
	return target;
}

static int write_special(const char *path, const char *bytes, size_t len,
			 struct error *err)
{
	AUTO(close) int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 || file_write_all(fd, bytes, len)
		       ? files_fail_errno(err, path, "write")
		       : MT_OK;
}

mode_t file_mode(const char *path, mode_t mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : mode;
}

int file_put(const char *path, const char *bytes, size_t len, mode_t mode,
	     struct error *err)
{
	bool special;
	AUTO(free) char *target = file_target(path, &special, err);

	if (!target)
		return err ? err->code : MT_EIO;
	return special ? write_special(target, bytes, len, err)
		       : file_write(target, bytes, len, file_mode(target, mode), false,
				    err);
}

int file_put_check(const char *path, struct error *err)
{
	bool special;
	AUTO(free) char *target = file_target(path, &special, err);
	struct stat st;
	char *slash = target && !special ? strrchr(target, '/') : NULL;

	if (!target)
		return err ? err->code : MT_EIO;
	if (special)
		return access(target, W_OK) ? files_fail_errno(err, path, "write")
					    : MT_OK;
	if (stat(target, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return files_fail_errno(err, path, "write");
	}
	if (slash)
		slash[slash == target] = '\0';
	return access(slash ? target : ".", W_OK | X_OK)
		       ? files_fail_errno(err, path, "write")
		       : MT_OK;
}

int dir_temporary(const char *name, char *path, size_t room, struct error *err)
{
	const char *base = getenv("TMPDIR");
	int len = snprintf(path, room, "%s/%s-XXXXXX",
			   base && *base == '/' ? base : "/tmp", name);

	if (len < 0 || (size_t)len >= room)
		return fail(err, MT_ELIMIT,
			    "cannot create a temporary directory: TMPDIR is too long");
	if (!mkdtemp(path))
		return files_fail_errno(err, path, "create");
	return MT_OK;
}

static bool files_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* @return 0 if the directory exists afterwards; otherwise errno is set. */
static int files_make_dir(const char *path)
{
	int number;

	if (mkdir(path, 0700) == 0)
		return 0;
	number = errno;
	if (files_is_dir(path))
		return 0;
	errno = number;
	return -1;
}

int dir_make(const char *path, struct error *err)
{
	AUTO(free) char *copy = NULL;

	if (*path && files_make_dir(path) == 0)
		return MT_OK;
	copy = strdup(path);
	if (!copy)
		return out_of_memory(err);
	if (!*copy)
		return fail(err, MT_EINVAL, "the directory name is empty");
	for (char *p = copy + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (files_make_dir(copy) != 0) {
			if (errno == EEXIST)
				return fail(err, MT_EEXIST, "%s: not a directory", copy);
			return files_fail_errno(err, copy, "create");
		}
		*p = c;
		if (!c)
			return MT_OK;
	}
}

int dir_make_durable(const char *path, struct error *err)
{
	AUTO(free) char *above = NULL;
	char *slash;
	int status;

	if (files_is_dir(path))
		return MT_OK;
	above = strdup(path);
	if (!above)
		return out_of_memory(err);
	slash = strrchr(above, '/');
	if (slash && slash > above) {
		*slash = '\0';
		status = dir_make_durable(above, err);
		if (status)
			return status;
	}
	status = dir_make(path, err);
	if (!status && sync_directory_of(path))
		status = files_fail_errno(err, path, "sync");
	return status;
}

int dir_sync(const char *path, struct error *err)
{
	AUTO(close) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && fsync(fd) == 0 ? MT_OK : files_fail_errno(err, path, "sync");
}

static int remove_entries(int fd, const char *path, int depth, struct error *err);

/* Let the owner read and change a directory that is about to be removed. */
static void remove_unlock(int parent, const char *name)
{
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char self[64];
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700) {
		snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
		(void)!chmod(self, 0700);
	}
	if (fd >= 0)
		close(fd);
}

static int remove_entry(int parent, const char *name, const char *path, int depth,
			struct error *err)
{
	int fd, status;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return MT_OK;
	if (errno != EISDIR && errno != EPERM)
		return files_fail_errno(err, path, "remove");
	remove_unlock(parent, name);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return files_fail_errno(err, path, "remove");
	status = remove_entries(fd, path, depth, err);
	if (!status && unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		status = files_fail_errno(err, path, "remove");
	return status;
}

/* Take ownership of the descriptor. */
static int remove_entries(int fd, const char *path, int depth, struct error *err)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int status = MT_OK;

	if (!dir) {
		status = files_fail_errno(err, path, "remove");
		close(fd);
		return status;
	}
	if (depth <= 0)
		status =
			fail(err, MT_ELIMIT, "%s: nested too deeply to be removed", path);
	while (!status && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = remove_entry(dirfd(dir), entry->d_name, path, depth - 1,
					      err);
	closedir(dir);
	return status;
}

int dir_remove(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int status;

	if (fd < 0)
		return files_fail_errno(err, path, "remove");
	status = remove_entries(fd, path, REMOVE_DEPTH, err);
	if (!status && rmdir(path) != 0)
		status = files_fail_errno(err, path, "remove");
	return status;
}
