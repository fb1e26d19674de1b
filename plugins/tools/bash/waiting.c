/* SPDX-License-Identifier: MIT
 *
 * waiting.c - finds a thread that is blocked reading the terminal, using
 * /proc/PID/syscall of Linux: a read of the terminal, or a select or poll of it alone
 * that does not end within a second by itself. */
#include "waiting.h"
#include "files.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>

enum {
	PROCESSES_MAX = 256, /* of the shell's descendants */
	THREADS_MAX = 64,    /* of a process */
	TEXT_MAX = 4096,     /* bytes of a file in /proc */
	SYSCALL_ARGS = 6,
};

struct look {
	pid_t front;  /* process group */
	dev_t slave;
	bool raw;     /* keys reach the program one by one */
	bool hidden;  /* input is not echoed: a password */
	pid_t process, thread;
	unsigned long args[SYSCALL_ARGS];
	struct waiting found;
};

static ssize_t bash_waiting_read_text(const char *path, char text[static TEXT_MAX])
{
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);

	text[len > 0 ? len : 0] = '\0';
	return len;
}

/* ---- system calls --------------------------------------------------------------- */

static bool is_terminal(const struct look *l, unsigned long fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/fd/%lu", (int)l->process, fd);
	return stat(path, &st) == 0 && S_ISCHR(st.st_mode) &&
	       (st.st_rdev == l->slave || st.st_rdev == makedev(5, 0));
}

/* Copy from the memory of the process. */
static bool bash_waiting_peek(const struct look *l, unsigned long address, void *to,
			      size_t len)
{
	struct iovec own = { to, len };
	struct iovec its = { (void *)(uintptr_t)address, len }; /* not ours to read */

	return address &&
	       process_vm_readv(l->process, &own, 1, &its, 1, 0) == (ssize_t)len;
}

static bool reads_terminal(const struct look *l)
{
	return is_terminal(l, l->args[0]);
}

/* The wait ends by itself so soon that it may not be for input: an editor that exits
 * waits for answers of the terminal. The address of a timeout has seconds as its first
 * member. */
static bool is_short_at(const struct look *l, unsigned long address)
{
	time_t seconds = 0;

	return bash_waiting_peek(l, address, &seconds, sizeof seconds) && seconds < 1;
}

/* A select of one descriptor for reading. */
static bool selects_terminal(const struct look *l)
{
	size_t count = l->args[0], found = 0;
	fd_set reads, writes;

	if (count == 0 || count > FD_SETSIZE || is_short_at(l, l->args[4]))
		return false;
	size_t len = (count + 63) / 64 * 8;

	FD_ZERO(&reads);
	FD_ZERO(&writes);
	if (!bash_waiting_peek(l, l->args[1], &reads, len) ||
	    (l->args[2] && !bash_waiting_peek(l, l->args[2], &writes, len)))
		return false;
	for (size_t fd = 0; fd < count; fd++) {
		if (FD_ISSET(fd, &writes) ||
		    (FD_ISSET(fd, &reads) && !is_terminal(l, fd)))
			return false;
		found += FD_ISSET(fd, &reads) != 0;
	}
	return found == 1;
}

static bool polls_terminal(const struct look *l)
{
	struct pollfd one;

	return l->args[1] == 1 && bash_waiting_peek(l, l->args[0], &one, sizeof one) &&
	       one.events & POLLIN && is_terminal(l, (unsigned long)one.fd);
}

static bool polls_terminal_long(const struct look *l)
{
	int ms = (int)l->args[2];

	return (ms < 0 || ms >= 1000) && polls_terminal(l);
}

static bool polls_terminal_until(const struct look *l)
{
	return !is_short_at(l, l->args[2]) && polls_terminal(l);
}

static bool never(const struct look *l)
{
	(void)l;
	return false;
}

/* System calls that wait for input; the last ones for any registered descriptor. */
static const struct {
	long number;
	bool (*is_certain)(const struct look *l);
	bool is_loop;
} calls[] = {
	{ SYS_read, reads_terminal, false },
	{ SYS_pselect6, selects_terminal, true },
	{ SYS_ppoll, polls_terminal_until, true },
#ifdef SYS_select
	{ SYS_select, selects_terminal, true },
#endif
#ifdef SYS_poll
	{ SYS_poll, polls_terminal_long, true },
#endif
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, never, true },
#endif
	{ SYS_epoll_pwait, never, true },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, never, true },
#endif
};

static enum waiting_kind bash_waiting_kind_of(const struct look *l, long number)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		if (calls[i].number != number)
			continue;
		if (calls[i].is_certain(l))
			return WAITING_INPUT;
		return calls[i].is_loop && l->raw && is_terminal(l, 0) ? WAITING_MAYBE
								       : WAITING_NO;
	}
	return WAITING_NO;
}

/* ---- threads and processes ------------------------------------------------------- */

static uint64_t switches_of(const struct look *l)
{
	static const char name[] = "\nvoluntary_ctxt_switches:";
	char path[64], text[TEXT_MAX];
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)l->process,
		 (int)l->thread);
	bash_waiting_read_text(path, text);
	at = strstr(text, name);
	return at ? strtoull(at + sizeof name - 1, NULL, 10) : 0;
}

static void look_at_thread(struct look *l)
{
	char path[64], text[TEXT_MAX], *at = text;
	enum waiting_kind kind = WAITING_NO;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)l->process,
		 (int)l->thread);
	if (bash_waiting_read_text(path, text) <= 0) {
		/* Another user's program, such as sudo: no other information is
		 * available. */
		kind = l->hidden ? WAITING_MAYBE : WAITING_NO;
	} else if (*text >= '0' && *text <= '9') {
		long number = strtol(at, &at, 10);

		for (size_t i = 0; i < SYSCALL_ARGS; i++)
			l->args[i] = strtoul(at, &at, 16);
		kind = bash_waiting_kind_of(l, number);
	}
	if (kind > l->found.kind)
		l->found = (struct waiting){ kind, l->thread, switches_of(l) };
}

static void look_at_process(struct look *l)
{
	char path[64];
	DIR *dir;
	struct dirent *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)l->process);
	dir = opendir(path);
	for (int n = 0; dir && n < THREADS_MAX && (d = readdir(dir));) {
		if (*d->d_name < '0' || *d->d_name > '9')
			continue;
		l->thread = (pid_t)strtol(d->d_name, NULL, 10);
		look_at_thread(l);
		n++;
	}
	if (dir)
		closedir(dir);
}

/* Append the child processes of a process to the list. */
static size_t add_children(pid_t process, pid_t *list, size_t count)
{
	char path[64], text[TEXT_MAX], *at = text;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process,
		 (int)process);
	bash_waiting_read_text(path, text);
	while (*at && count < PROCESSES_MAX) {
		long child = strtol(at, &at, 10);

		if (child <= 0)
			break;
		list[count++] = (pid_t)child;
	}
	return count;
}

struct waiting waiting_look(pid_t shell, int master)
{
	pid_t list[PROCESSES_MAX] = { shell };
	struct look l = { .front = tcgetpgrp(master) };
	char name[64];
	struct termios modes;
	struct stat st;

	if (l.front <= 0 || tcgetattr(master, &modes) ||
	    ptsname_r(master, name, sizeof name) || stat(name, &st))
		return l.found;
	l.slave = st.st_rdev;
	l.raw = !(modes.c_lflag & ICANON);
	l.hidden = !l.raw && !(modes.c_lflag & ECHO);
	for (size_t i = 0, count = 1; i < count; i++) {
		l.process = list[i];
		if (getpgid(l.process) == l.front)
			look_at_process(&l);
		count = add_children(l.process, list, count);
	}
	return l.found;
}
