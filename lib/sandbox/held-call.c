/* SPDX-License-Identifier: MIT
 *
 * held-call.c - reads the arguments of a system call of a tool, and opens what they
 * name. */
#include "sandbox/held-call.h"

#include "auto.h"
#include "sandbox/access.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096, /* of memory, or a part of one */
	CHECKS = 8,  /* of a file that is renamed meanwhile */
};

/* ---- the process --------------------------------------------------------------- */

/* False if the thread no longer waits for the answer: its number, and so its files in
 * /proc, may be those of another process. */
static bool is_valid(const struct held_call *c)
{
	uint64_t id = c->id;

	return ioctl(c->handler->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static bool is_in_program(const struct held_call *c)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)c->handler->program,
		 (int)c->thread);
	return access(path, F_OK) == 0;
}

int held_call_begin(struct held_call *c)
{
	char path[64], ignored;

	c->memory = -1;
	snprintf(c->proc, sizeof c->proc, "/proc/%d", (int)c->thread);
	snprintf(path, sizeof path, "%s/cwd", c->proc);
	if (readlink(path, &ignored, 1) > 0)
		return is_valid(c) ? 0 : -ESRCH;
	if (!is_in_program(c) || !is_valid(c))
		return -EPERM;
	snprintf(c->proc, sizeof c->proc, "/proc/%d", (int)c->handler->keeper);
	c->memory = fcntl(c->handler->memory, F_DUPFD_CLOEXEC, 3);
	return c->memory < 0 ? -EPERM : 0;
}

void held_call_end(struct held_call *c)
{
	if (c->memory >= 0)
		close(c->memory);
	c->memory = -1;
}

/* ---- memory -------------------------------------------------------------------- */

int held_call_read(struct held_call *c, uint64_t address, void *ret, size_t len)
{
	char path[64];

	snprintf(path, sizeof path, "%s/mem", c->proc);
	if (c->memory < 0)
		c->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (c->memory < 0)
		return -EPERM;
	if (address > INT64_MAX ||
	    pread(c->memory, ret, len, (off_t)address) != (ssize_t)len)
		return -EFAULT;
	return is_valid(c) ? 0 : -ESRCH;
}

int held_call_text(struct held_call *c, uint64_t address, char *ret, size_t room,
		   int too_long)
{
	size_t len = 0;

	while (len < room) {
		/* What follows the string may not be mapped. */
		size_t part = PAGE - (size_t)(address + len) % PAGE;
		int failed;

		if (part > room - len)
			part = room - len;
		failed = held_call_read(c, address + len, ret + len, part);
		if (failed)
			return failed;
		if (memchr(ret + len, '\0', part))
			return 0;
		len += part;
	}
	return -too_long;
}

/* ---- files --------------------------------------------------------------------- */

static int open_own(const struct held_call *c, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "%s/%s", c->proc, name);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EBADF : -EPERM;
	if (is_valid(c))
		return fd;
	close(fd);
	return -ESRCH;
}

static int open_directory(const struct held_call *c, int fd)
{
	char name[32];

	if (fd == AT_FDCWD)
		return open_own(c, "cwd");
	snprintf(name, sizeof name, "fd/%d", fd);
	return open_own(c, name);
}

/* Names that mean the process that uses them. */
static const struct {
	const char *name, *own; /* the latter in the directory of the process in /proc */
} own_names[] = {
	{ "/proc/self", "" },        { "/proc/thread-self", "" },
	{ "/dev/fd", "/fd" },        { "/dev/stdin", "/fd/0" },
	{ "/dev/stdout", "/fd/1" },  { "/dev/stderr", "/fd/2" },
};

static int expand_own(const struct held_call *c, const char *text, char *ret, size_t room)
{
	int len = -1;

	for (size_t i = 0; len < 0 && i < ARRAY_LEN(own_names); i++) {
		size_t n = strlen(own_names[i].name);

		if (strncmp(text, own_names[i].name, n) == 0 &&
		    (text[n] == '/' || text[n] == '\0'))
			len = snprintf(ret, room, "%s%s%s", c->proc, own_names[i].own,
				       text + n);
	}
	if (len < 0)
		len = snprintf(ret, room, "%s", text);
	return (size_t)len < room ? 0 : -ENAMETOOLONG;
}

static int open_text(const struct held_call *c, const struct held_path *p,
		     const char *text)
{
	AUTO(close) int directory = -1;
	char path[PATH_MAX + 64];
	int fd, failed = expand_own(c, text, path, sizeof path);

	if (failed)
		return failed;
	/* Tools have the root directory of this process. */
	if (*path != '/') {
		directory = open_directory(c, p->directory);
		if (directory < 0)
			return directory;
	}
	fd = openat(directory, path, O_PATH | O_CLOEXEC | (p->follow ? 0 : O_NOFOLLOW));
	return fd < 0 ? -errno : fd;
}

int held_call_open(struct held_call *c, const struct held_path *p)
{
	char text[PATH_MAX];
	int failed;

	if (!p->text)
		return open_directory(c, p->directory);
	failed = held_call_text(c, p->text, text, sizeof text, ENAMETOOLONG);
	if (failed)
		return failed;
	if (!*text)
		return p->may_be_empty ? open_directory(c, p->directory) : -ENOENT;
	return open_text(c, p, text);
}

int held_call_open_text(struct held_call *c, const char *text)
{
	return open_text(c, &(struct held_path){ .directory = AT_FDCWD, .follow = true },
			 text);
}

/* Before Linux 6.9, a thread has no descriptor of its own: that of its process. */
static pid_t process_of(const struct held_call *c)
{
	char path[64], text[1024];
	AUTO(close) int fd = -1;
	const char *group;
	ssize_t len;

	snprintf(path, sizeof path, "%s/status", c->proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	text[len > 0 ? len : 0] = '\0';
	group = strstr(text, "\nTgid:");
	return group ? (pid_t)strtol(group + strlen("\nTgid:"), NULL, 10) : -1;
}

int held_call_descriptor(const struct held_call *c, int fd)
{
	enum { THREAD = O_EXCL /* PIDFD_THREAD */ };
	const pid_t pid = (pid_t)strtol(c->proc + strlen("/proc/"), NULL, 10);
	AUTO(close) int process = (int)syscall(SYS_pidfd_open, pid, THREAD);
	int copy;

	if (process < 0)
		process = (int)syscall(SYS_pidfd_open, process_of(c), 0);
	if (process < 0)
		return -EPERM;
	copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	if (copy < 0)
		return errno == EBADF ? -EBADF : -EPERM;
	if (is_valid(c))
		return copy;
	close(copy);
	return -ESRCH;
}

/* ---- what can be changed --------------------------------------------------------- */

static bool can_change(const struct held_call *c, const char *path)
{
	return sandbox_access(c->handler->rules, path, NULL) == SANDBOX_ACCESS_WRITE ||
	       sandbox_access(&c->handler->temporary, path, NULL) == SANDBOX_ACCESS_WRITE;
}

static bool can_connect(const struct held_call *c, const char *path)
{
	return sandbox_grants_socket(c->handler->rules, path) || can_change(c, path);
}

/* Whether the path of a file is that of the same file in the mounts of this process. */
static bool is_at(const char *path, const struct stat *file)
{
	AUTO(close) int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

static int held_check_path(const struct held_call *c, int fd,
			   bool (*allows)(const struct held_call *, const char *))
{
	char self[64], path[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -EPERM;
	/* Only who has opened it can still reach it. */
	if (S_ISREG(st.st_mode) && st.st_nlink == 0)
		return 0;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	for (int n = 0; n < CHECKS; n++) {
		ssize_t len = readlink(self, path, sizeof path - 1);

		if (len <= 0)
			return -EPERM;
		path[len] = '\0';
		/* A pipe or socket without a name. */
		if (*path != '/')
			return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ? 0 : -EPERM;
		if (!allows(c, path))
			return -EPERM;
		if (is_at(path, &st))
			return 0;
	}
	return -EPERM;
}

int held_call_check(const struct held_call *c, int fd)
{
	return held_check_path(c, fd, can_change);
}

int held_call_check_socket(const struct held_call *c, int fd)
{
	return held_check_path(c, fd, can_connect);
}
