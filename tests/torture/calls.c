/* SPDX-License-Identifier: MIT
 *
 * calls.c - a library to preload, for tests only: the n-th call of one kind fails in
 * the program that was started, not in its children.
 *
 * TORTURE=KIND:N (KIND: memory, write, sync, open, fork), or KIND:0 to count only;
 * TORTURE_COUNT=FILE: the number of calls of that kind is written there at the end.
 * A test program that is linked with it uses calls.h instead. */
#include "calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

static char kind[16];
static long wanted;
static atomic_long count;
static pid_t owner;
static char count_path[512];

EXPORT void *__libc_malloc(size_t n);
EXPORT void *__libc_calloc(size_t n, size_t m);
EXPORT void *__libc_realloc(void *p, size_t n);

__attribute__((constructor)) static void begin(void)
{
	const char *set = getenv("TORTURE");

	if (!set || sscanf(set, "%15[a-z]:%ld", kind, &wanted) != 2)
		return;
	if (getenv("TORTURE_COUNT"))
		snprintf(count_path, sizeof count_path, "%s", getenv("TORTURE_COUNT"));
	unsetenv("TORTURE");
	unsetenv("LD_PRELOAD");
	owner = getpid();
}

__attribute__((destructor)) static void end(void)
{
	FILE *f = owner == getpid() && *count_path ? fopen(count_path, "we") : NULL;

	if (f) {
		fprintf(f, "%ld\n", (long)count);
		fclose(f);
	}
}

void torture_begin(const char *what, long n)
{
	snprintf(kind, sizeof kind, "%s", what);
	count = 0;
	wanted = n;
	owner = getpid();
}

bool torture_end(void)
{
	owner = 0;
	return wanted && count >= wanted;
}

static int fails(const char *what)
{
	if (!owner || strcmp(kind, what) != 0 || getpid() != owner)
		return 0;
	return ++count == wanted;
}

#define REAL(type, name, ...)                                                  \
	static type (*real)(__VA_ARGS__);                                      \
	if (!real)                                                             \
		*(void **)&real = dlsym(RTLD_NEXT, name)

EXPORT void *malloc(size_t n)
{
	if (fails("memory")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(n);
}

EXPORT void *calloc(size_t n, size_t m)
{
	if (fails("memory")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(n, m);
}

EXPORT void *realloc(void *p, size_t n)
{
	if (fails("memory")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(p, n);
}

static int is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	if (is_file(fd) && fails("write")) {
		real(fd, bytes, len / 2);
		errno = ENOSPC;
		return -1;
	}
	return real(fd, bytes, len);
}

EXPORT int fsync(int fd)
{
	REAL(int, "fsync", int);
	if (fails("sync")) {
		errno = EIO;
		return -1;
	}
	return real(fd);
}

EXPORT int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	if (fails("sync")) {
		errno = EIO;
		return -1;
	}
	return real(fd);
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	REAL(int, "open", const char *, int, ...);
	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	if (fails("open")) {
		errno = EMFILE;
		return -1;
	}
	return real(path, flags, mode);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	REAL(int, "openat", int, const char *, int, ...);
	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	if (fails("open")) {
		errno = EMFILE;
		return -1;
	}
	return real(dir, path, flags, mode);
}

EXPORT pid_t fork(void)
{
	REAL(pid_t, "fork", void);
	if (fails("fork")) {
		errno = EAGAIN;
		return -1;
	}
	return real();
}
