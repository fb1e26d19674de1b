/* SPDX-License-Identifier: MIT
 *
 * record.c - a library to preload, for tests only: records the changes of `mortise` to
 * files below a directory, and its writes to standard output and sockets, in order.
 *
 * POWERLOSS_ROOT=DIRECTORY, without links; POWERLOSS_JOURNAL=FILE, see journal-record.h.
 * POWERLOSS_FAIL=N: the N-th sync of a file or directory below it fails, once. */
#include "journal-record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))
#define REAL(type, name, ...)                                                  \
	static type (*real)(__VA_ARGS__);                                      \
	if (!real)                                                             \
		*(void **)&real = dlsym(RTLD_NEXT, name)

enum { PIECES_MAX = 5 };

static char root[PATH_MAX], journal[PATH_MAX];
static size_t root_len;
static long syncs, failing; /* the syncs so far, and the one that fails */
static struct stat output; /* standard output, which may be moved to another descriptor */

/* ---- the journal --------------------------------------------------------------- */

struct bytes {
	const void *at;
	size_t len;
};

static void put(struct journal_record *r, const char *path, const char *other,
		struct bytes data)
{
	struct iovec pieces[PIECES_MAX] = {
		{ r, sizeof *r },
		{ (void *)path, path ? strlen(path) : 0 },
		{ (void *)other, other ? strlen(other) : 0 },
		{ (void *)data.at, data.len },
	};
	int number = errno;
	long fd = syscall(SYS_openat, AT_FDCWD, journal,
			  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	r->magic = JOURNAL_MAGIC;
	r->pid = (uint32_t)getpid();
	r->path = (uint32_t)pieces[1].iov_len;
	r->other = (uint32_t)pieces[2].iov_len;
	r->data = (uint32_t)data.len;
	if (fd < 0 || syscall(SYS_writev, fd, pieces, 4) < 0)
		abort(); /* a journal with a hole proves nothing */
	syscall(SYS_close, fd);
	errno = number;
}

/* A path below the root, relative to it; NULL if it is not. */
static const char *below(const char *path)
{
	if (!root_len || strncmp(path, root, root_len) != 0 || path[root_len] != '/')
		return NULL;
	return path + root_len + 1;
}

static const char *path_at(int dir, const char *name, char room[PATH_MAX])
{
	char link[64];
	ssize_t n = 0;

	if (!root_len)
		return NULL;
	if (*name == '/')
		return below(name);
	if (dir == AT_FDCWD) {
		snprintf(link, sizeof link, "/proc/self/cwd");
	} else {
		snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
	}
	n = readlink(link, room, PATH_MAX - 1);
	if (n < 0 ||
	    snprintf(room + n, (size_t)(PATH_MAX - n), "/%s", name) >= PATH_MAX - n)
		return NULL;
	return below(room);
}

static const char *path_of(int fd, char room[PATH_MAX])
{
	char link[64];
	ssize_t n;

	if (!root_len)
		return NULL;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, room, PATH_MAX - 1);
	if (n < 0)
		return NULL;
	room[n] = '\0';
	return strcmp(room, root) == 0 ? "" : below(room);
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static void put_exit(int status, void *arg)
{
	struct journal_record r = { .kind = J_EXIT, .offset = status };

	(void)arg;
	put(&r, NULL, NULL, (struct bytes){ 0 });
}

__attribute__((constructor)) static void begin(void)
{
	const char *to = getenv("POWERLOSS_JOURNAL"), *from = getenv("POWERLOSS_ROOT");

	if (!to || !from || strncmp(program_invocation_short_name, "mortise", 7) != 0)
		return;
	if (fstat(STDOUT_FILENO, &output) != 0)
		output.st_ino = 0;
	snprintf(journal, sizeof journal, "%s", to);
	root_len = (size_t)snprintf(root, sizeof root, "%s", from);
	on_exit(put_exit, NULL);
	if (getenv("POWERLOSS_FAIL"))
		failing = strtol(getenv("POWERLOSS_FAIL"), NULL, 10);
}

/* ---- bytes --------------------------------------------------------------------- */

/* What was written to a descriptor. `at`: its place in the file; -1: at its position,
 * which is behind it by now. */
static void wrote(int fd, const struct iovec *v, size_t count, ssize_t n, int64_t at)
{
	struct journal_record r = { .kind = J_WRITE };
	char room[PATH_MAX], *all, *end;
	struct stat st;
	size_t left = n > 0 ? (size_t)n : 0;
	bool is_output;

	if (!root_len || !left || fstat(fd, &st) != 0)
		return;
	is_output = st.st_ino == output.st_ino && st.st_dev == output.st_dev;
	if (path_of(fd, room) && S_ISREG(st.st_mode)) {
		off_t end_of = lseek(fd, 0, SEEK_CUR);

		r.inode = st.st_ino;
		r.offset = at >= 0 ? at : end_of - n;
	} else if (is_output || S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) {
		struct sockaddr_storage name = { 0 };
		socklen_t size = sizeof name;

		getsockname(fd, (struct sockaddr *)&name, &size);
		r.kind = J_SENT;
		r.target = is_output ? SENT_OUTPUT
			   : name.ss_family == AF_INET || name.ss_family == AF_INET6
				   ? SENT_NETWORK
				   : SENT_LOCAL;
		left = left < JOURNAL_SENT_MAX ? left : JOURNAL_SENT_MAX;
	} else {
		return;
	}
	all = end = malloc(left);
	if (!all)
		abort();
	for (size_t i = 0; i < count && (size_t)(end - all) < left; i++) {
		size_t most = left - (size_t)(end - all);

		end = mempcpy(end, v[i].iov_base,
			      v[i].iov_len < most ? v[i].iov_len : most);
	}
	put(&r, NULL, NULL, (struct bytes){ all, (size_t)(end - all) });
	free(all);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	ssize_t n = real(fd, bytes, len);

	wrote(fd, &(struct iovec){ (void *)bytes, len }, 1, n, -1);
	return n;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
	REAL(ssize_t, "writev", int, const struct iovec *, int);
	ssize_t n = real(fd, v, count);

	wrote(fd, v, (size_t)count, n, -1);
	return n;
}

EXPORT ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
	ssize_t n = real(fd, bytes, len, at);

	wrote(fd, &(struct iovec){ (void *)bytes, len }, 1, n, at);
	return n;
}

EXPORT ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	REAL(ssize_t, "send", int, const void *, size_t, int);
	ssize_t n = real(fd, bytes, len, flags);

	wrote(fd, &(struct iovec){ (void *)bytes, len }, 1, n, -1);
	return n;
}

EXPORT ssize_t sendto(int fd, const void *bytes, size_t len, int flags,
		      __CONST_SOCKADDR_ARG to, socklen_t size)
{
	REAL(ssize_t, "sendto", int, const void *, size_t, int, __CONST_SOCKADDR_ARG,
	     socklen_t);
	ssize_t n = real(fd, bytes, len, flags, to, size);

	wrote(fd, &(struct iovec){ (void *)bytes, len }, 1, n, -1);
	return n;
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	REAL(ssize_t, "sendmsg", int, const struct msghdr *, int);
	ssize_t n = real(fd, m, flags);

	wrote(fd, m->msg_iov, m->msg_iovlen, n, -1);
	return n;
}

static void cut(int fd, off_t len)
{
	struct journal_record r = { .kind = J_TRUNCATE, .offset = len };
	char room[PATH_MAX];

	if (!path_of(fd, room))
		return;
	r.inode = inode_of(fd);
	put(&r, NULL, NULL, (struct bytes){ 0 });
}

EXPORT int ftruncate(int fd, off_t len)
{
	REAL(int, "ftruncate", int, off_t);
	int status = real(fd, len);

	if (status == 0)
		cut(fd, len);
	return status;
}

/* Recorded when it is over: only then may anything rely on it. */
static int sync_it(int fd, int (*real)(int))
{
	struct journal_record r = { .kind = J_SYNC, .inode = inode_of(fd) };
	char room[PATH_MAX];
	const char *path = path_of(fd, room);
	int status = 0;

	if (path && ++syncs == failing) {
		r.kind = J_FAILED;
		status = -1;
	} else {
		status = real(fd);
	}
	if (path && (status == 0 || r.kind == J_FAILED))
		put(&r, path, NULL, (struct bytes){ 0 });
	if (r.kind == J_FAILED)
		errno = EIO;
	return status;
}

EXPORT int fsync(int fd)
{
	REAL(int, "fsync", int);
	return sync_it(fd, real);
}

EXPORT int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	return sync_it(fd, real);
}

/* ---- names --------------------------------------------------------------------- */

static void created(int fd, const char *path)
{
	struct journal_record r = { .kind = J_CREATE, .inode = inode_of(fd) };

	put(&r, path, NULL, (struct bytes){ 0 });
}

static int open_file(int (*real)(int, const char *, int, ...), int dir, const char *name,
		     int flags, int mode)
{
	char room[PATH_MAX];
	const char *path = flags & (O_CREAT | O_TRUNC) ? path_at(dir, name, room) : NULL;
	struct stat st;
	int was = path ? fstatat(dir, name, &st, 0) : 0;
	int fd = real(dir, name, flags, mode);

	if (fd >= 0 && path && was != 0)
		created(fd, path);
	else if (fd >= 0 && path && flags & O_TRUNC && st.st_size > 0)
		cut(fd, 0);
	return fd;
}

#define OPEN(name)                                                             \
	EXPORT int name(const char *path, int flags, ...)                      \
	{                                                                      \
		va_list ap;                                                    \
		int mode;                                                      \
		REAL(int, "openat", int, const char *, int, ...);              \
		va_start(ap, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;    \
		va_end(ap);                                                    \
		return open_file(real, AT_FDCWD, path, flags, mode);           \
	}
#define OPENAT(name)                                                           \
	EXPORT int name(int dir, const char *path, int flags, ...)             \
	{                                                                      \
		va_list ap;                                                    \
		int mode;                                                      \
		REAL(int, "openat", int, const char *, int, ...);              \
		va_start(ap, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;    \
		va_end(ap);                                                    \
		return open_file(real, dir, path, flags, mode);                \
	}
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

EXPORT int mkostemp(char *name, int flags)
{
	REAL(int, "mkostemp", char *, int);
	int fd = real(name, flags);
	char room[PATH_MAX];
	const char *path = fd >= 0 ? path_at(AT_FDCWD, name, room) : NULL;

	if (path)
		created(fd, path);
	return fd;
}

static int make_dir(int dir, const char *name, mode_t mode)
{
	struct journal_record r = { .kind = J_MKDIR };
	char room[PATH_MAX];
	const char *path = path_at(dir, name, room);
	struct stat st;
	REAL(int, "mkdirat", int, const char *, mode_t);
	int status = real(dir, name, mode);

	if (status == 0 && path && fstatat(dir, name, &st, 0) == 0) {
		r.inode = st.st_ino;
		put(&r, path, NULL, (struct bytes){ 0 });
	}
	return status;
}

EXPORT int mkdir(const char *name, mode_t mode)
{
	return make_dir(AT_FDCWD, name, mode);
}

EXPORT int mkdirat(int dir, const char *name, mode_t mode)
{
	return make_dir(dir, name, mode);
}

static void put_names(enum journal_kind kind, const char *path, const char *other)
{
	struct journal_record r = { .kind = kind };

	if (path && (other || kind == J_REMOVE))
		put(&r, path, other, (struct bytes){ 0 });
	else if (path || other)
		abort(); /* half of it is below the root: that is not modelled */
}

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned flags)
{
	char room[PATH_MAX], other[PATH_MAX];
	const char *path = path_at(from_dir, from, room),
		   *new = path_at(to_dir, to, other);
	REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
	int status = real(from_dir, from, to_dir, to, flags);

	if (status == 0)
		put_names(J_RENAME, path, new);
	return status;
}

EXPORT int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return renameat2(from_dir, from, to_dir, to, 0);
}

EXPORT int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	char room[PATH_MAX], other[PATH_MAX];
	const char *path = path_at(from_dir, from, room),
		   *new = path_at(to_dir, to, other);
	REAL(int, "linkat", int, const char *, int, const char *, int);
	int status = real(from_dir, from, to_dir, to, flags);

	if (status == 0)
		put_names(J_LINK, path, new);
	return status;
}

EXPORT int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int unlinkat(int dir, const char *name, int flags)
{
	char room[PATH_MAX];
	const char *path = path_at(dir, name, room);
	REAL(int, "unlinkat", int, const char *, int);
	int status = real(dir, name, flags);

	if (status == 0)
		put_names(J_REMOVE, path, NULL);
	return status;
}

EXPORT int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

EXPORT int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}
