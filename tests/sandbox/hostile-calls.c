/* SPDX-License-Identifier: MIT
 *
 * hostile-calls.c - system calls of a hostile program in a sandbox without namespaces.
 *
 *   hostile-calls race OUTSIDE TIMES    change what a call names while it is made
 *   hostile-calls arguments             arguments that are not valid
 *   hostile-calls block                 connections that no server accepts
 *   hostile-calls handler               attack the process that answers the calls
 *   hostile-calls change PATH           all calls that change metadata of a file; prints
 *                                       those that succeed
 *   hostile-calls send PATH             sockets that send datagrams to a path
 *
 * Runs in the workspace. Exits with 1 after a failed check. */
#include "auto.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <utime.h>

static bool failed;

static void check(bool good, const char *what)
{
	if (good)
		return;
	printf("failed: %s (%s)\n", what, strerror(errno));
	failed = true;
}

static void check_error(long result, int number, const char *what)
{
	if (result < 0 && errno == number)
		return;
	printf("failed: %s: %s\n", what, result < 0 ? strerror(errno) : "succeeded");
	failed = true;
}

static bool start(pthread_t *t, void *(*run)(void *), const void *arg)
{
	return pthread_create(t, NULL, run, (void *)(uintptr_t)arg) == 0;
}

/* ---- races ---------------------------------------------------------------------- */

static volatile bool ended;
static char shared[PATH_MAX]; /* a path that changes */
static int swapped;           /* a descriptor that changes */
static int inside_fd, outside_fd;

static void *swap_link(void *outside)
{
	while (!ended) {
		unlink("new");
		check(symlink(outside, "new") == 0, "link to the outside");
		rename("new", "link");
		check(symlink("inside", "new") == 0, "link to the inside");
		rename("new", "link");
	}
	return NULL;
}

static void *swap_memory(void *outside)
{
	while (!ended) {
		strcpy(shared, outside);
		strcpy(shared, "inside");
	}
	return NULL;
}

static void *swap_descriptor(void *outside)
{
	(void)outside;
	while (!ended) {
		dup2(outside_fd, swapped);
		dup2(inside_fd, swapped);
	}
	return NULL;
}

static int by_link(void)
{
	return chmod("link", 0777);
}

static int by_memory(void)
{
	return chmod(shared, 0777);
}

static int by_descriptor(void)
{
	return fchmod(swapped, 0777);
}

static void race(const char *outside, long times)
{
	static const struct {
		void *(*swap)(void *outside);
		int (*act)(void);
	} kinds[] = { { swap_link, by_link },
		      { swap_memory, by_memory },
		      { swap_descriptor, by_descriptor } };
	unsigned done[ARRAY_LEN(kinds)] = { 0 };

	close(open("inside", O_CREAT | O_WRONLY, 0600));
	symlink("inside", "link");
	inside_fd = open("inside", O_RDONLY);
	outside_fd = open(outside, O_PATH);
	swapped = dup(inside_fd);
	strcpy(shared, "inside");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		pthread_t t;

		ended = false;
		check(start(&t, kinds[i].swap, outside), "start a thread");
		for (long n = 0; n < times / 3 + 1; n++)
			done[i] += kinds[i].act() == 0;
		ended = true;
		pthread_join(t, NULL);
		check(done[i] > 0, "change a file of the workspace");
	}
}

/* ---- arguments ------------------------------------------------------------------- */

static void arguments(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	char text[PATH_MAX + 10];
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	check(munmap(page + 4096, 4096) == 0, "unmap");
	memset(page, 'a', 4096);
	memset(text, 'a', sizeof text);
	check_error(chmod((char *)1, 0600), EFAULT, "a path that is not mapped");
	check_error(chmod(page + 4000, 0600), EFAULT, "a path without an end");
	check_error(chmod((char *)(uintptr_t)-1, 0600), EFAULT, "a path in the kernel");
	check_error(chmod(text, 0600), ENAMETOOLONG, "a long path");
	check_error(chmod("", 0600), ENOENT, "an empty path");
	check_error(fchmod(-1, 0600), EBADF, "descriptor -1");
	check_error(fchmod(1 << 30, 0600), EBADF, "a large descriptor");
	check_error(fchownat(99, "x", 0, 0, 0), EBADF, "a directory that is not open");
	check_error(fchownat(AT_FDCWD, "x", 0, 0, 0x40), EINVAL, "an unknown flag");
	check_error(syscall(SYS_utimensat, AT_FDCWD, NULL, NULL, 0), EFAULT, "no path");
	check_error(syscall(SYS_setxattr, ".", "user.x", text, SIZE_MAX, 0), E2BIG,
		    "a large attribute");
	check_error(setxattr(".", text, "x", 1, 0), ERANGE, "a long name");
	check_error(connect(s, (void *)&a, (socklen_t)-1), EINVAL, "a negative length");
	check_error(connect(s, NULL, sizeof a), EFAULT, "no address");
	check_error(connect(99, (void *)&a, sizeof a), EBADF,
		    "a socket that is not open");
	check_error(connect(0, (void *)&a, sizeof a), ENOTSOCK, "a file");
	strcpy(a.sun_path, "none");
	check_error(connect(s, (void *)&a, sizeof a), ENOENT, "a missing socket");
	check_error(syscall(452, AT_FDCWD, ".", 0700, 0), ENOSYS, "fchmodat2");
	check(chmod(".", 0700) == 0, "change a mode afterwards");
	/* A path at the end of a page. */
	strcpy(page + 4094, ".");
	check(chmod(page + 4094, 0755) == 0, "a path that ends with its page");
}

/* ---- blocking ---------------------------------------------------------------------- */

enum { CONNECTIONS = 80 };

static int refused; /* changed atomically */

static void *connect_forever(void *address)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	if (connect(s, address, sizeof(struct sockaddr_un)) < 0 && errno == EAGAIN)
		__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
	pause();
	return NULL;
}

static void block(void)
{
	static struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "full" };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t t;

	unlink("full");
	check(bind(s, (void *)&a, sizeof a) == 0 && listen(s, 0) == 0, "listen");
	for (int i = 0; i < CONNECTIONS; i++)
		check(start(&t, connect_forever, &a), "start a thread");
	while (!__atomic_load_n(&refused, __ATOMIC_RELAXED))
		usleep(1000);
	check(chmod(".", 0700) == 0, "change a mode while others wait");
}

/* ---- the handler --------------------------------------------------------------------- */

static bool reads(pid_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void attack(pid_t pid, const char *who)
{
	char byte;
	struct iovec own = { &byte, 1 }, its = { &failed, 1 };

	printf("%s\n", who);
	check_error(ptrace(PTRACE_SEIZE, pid, NULL, NULL), EPERM, "trace it");
	check_error(process_vm_readv(pid, &own, 1, &its, 1, 0), EPERM, "read its memory");
	check(!reads(pid, "mem"), "open its memory");
	check(!reads(pid, "environ"), "read its environment");
	check(!reads(pid, "fd/0"), "open its descriptor");
	check_error(syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), 3, 0),
		    EPERM, "take its descriptor");
}

/* A child of the program, with the name that start_keeper() gives it. */
static pid_t find_keeper(void)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	pid_t found = -1;

	while (proc && found < 0 && (d = readdir(proc))) {
		char path[300], text[256];
		ssize_t len;
		int fd, pid, parent;

		snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
		if (fd >= 0)
			close(fd);
		text[len > 0 ? len : 0] = '\0';
		if (sscanf(text, "%d (mortise-files) %*c %d", &pid, &parent) == 2 &&
		    parent == getpid())
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

static void attack_handler(void)
{
	pid_t handler = getppid(), keeper = find_keeper();

	attack(handler, "handler");
	check(keeper > 0, "find the keeper");
	if (keeper > 0)
		attack(keeper, "keeper");
}

/* ---- changes --------------------------------------------------------------------------- */

static void report(long result, const char *what)
{
	if (result == 0)
		puts(what);
}

static void change(const char *path)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	const struct timeval old_times[2] = { { 1, 0 }, { 1, 0 } };
	const struct utimbuf oldest = { 1, 1 };
	int fd = open(path, O_RDONLY), flags = 0;
	char self[64];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	check(fd >= 0, "open it for reading");
	report(chmod(path, 0777), "chmod");
	report(chmod(self, 0777), "chmod of a descriptor's path");
	report(fchmod(fd, 0777), "fchmod");
	report(syscall(SYS_fchmodat, AT_FDCWD, path, 0777), "fchmodat");
	report(syscall(452, AT_FDCWD, path, 0777, 0), "fchmodat2");
	report(syscall(452, fd, "", 0777, AT_EMPTY_PATH), "fchmodat2 of a descriptor");
	report(chown(path, getuid(), getgid()), "chown");
	report(lchown(path, getuid(), getgid()), "lchown");
	report(fchown(fd, getuid(), getgid()), "fchown");
	report(fchownat(fd, "", getuid(), getgid(), AT_EMPTY_PATH), "fchownat");
	report(utimensat(AT_FDCWD, path, times, 0), "utimensat");
	report(futimens(fd, times), "futimens");
	report(utime(path, &oldest), "utime");
	report(utimes(path, old_times), "utimes");
#ifdef SYS_futimesat
	report(syscall(SYS_futimesat, AT_FDCWD, path, old_times), "futimesat");
	report(syscall(SYS_futimesat, fd, NULL, old_times), "futimesat of a descriptor");
#endif
	report(setxattr(path, "user.x", "x", 1, 0), "setxattr");
	report(lsetxattr(path, "user.x", "x", 1, 0), "lsetxattr");
	report(fsetxattr(fd, "user.x", "x", 1, 0), "fsetxattr");
	report(removexattr(path, "user.x"), "removexattr");
	report(truncate(path, 0), "truncate");
	report(open(path, O_RDONLY | O_TRUNC) >= 0 ? 0 : -1, "open with O_TRUNC");
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0)
		report(ioctl(fd, FS_IOC_SETFLAGS, &flags), "FS_IOC_SETFLAGS");
}

static void send_to(const char *path)
{
	static const int types[] = { SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET };
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		int s = socket(AF_UNIX, types[i], 0);

		if (s < 0)
			continue;
		check(connect(s, (void *)&a, sizeof a) < 0, "connect");
		check(sendto(s, "x", 1, MSG_NOSIGNAL, (void *)&a, sizeof a) < 0, "send");
		close(s);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "race") == 0 && argc > 3)
		race(argv[2], strtol(argv[3], NULL, 10));
	else if (strcmp(mode, "arguments") == 0)
		arguments();
	else if (strcmp(mode, "block") == 0)
		block();
	else if (strcmp(mode, "handler") == 0)
		attack_handler();
	else if (strcmp(mode, "change") == 0 && argc > 2)
		change(argv[2]);
	else if (strcmp(mode, "send") == 0 && argc > 2)
		send_to(argv[2]);
	else
		return 2;
	/* Threads may still wait. */
	fflush(stdout);
	_exit(failed);
}
