/* SPDX-License-Identifier: MIT
 *
 * spool.c - a temporary directory or file, removed even if a signal ends the command. */
#include "spool.h"

#include "array.h"
#include "files.h"
#include "signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 32, TRIES_MAX = 8 };

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

static struct {
	char path[PATH_MAX];
	pid_t owner; /* forked processes do not remove it */
} spool;

/* ---- from a signal handler ---------------------------------------------------- */

static void cli_spool_discard(int at, const char *name, int depth);

/* Remove the contents of a directory. */
static void discard_entries(int dir, int depth)
{
	_Alignas(struct dirent64) char buf[2048];
	ssize_t len;

	while ((len = getdents64(dir, buf, sizeof buf)) > 0)
		for (ssize_t i = 0; i < len;) {
			struct dirent64 *e = (struct dirent64 *)(void *)(buf + i);

			if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
				cli_spool_discard(dir, e->d_name, depth + 1);
			i += e->d_reclen;
		}
}

/* A directory is read again if it still has entries: removing some hides others. */
static void cli_spool_discard(int at, const char *name, int depth)
{
	if (unlinkat(at, name, 0) == 0 || depth > DEPTH_MAX)
		return;
	for (int i = 0; i < TRIES_MAX && unlinkat(at, name, AT_REMOVEDIR) != 0; i++) {
		int dir =
			openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (dir < 0)
			return;
		discard_entries(dir, depth);
		close(dir);
	}
}

void command_spool_discard(void)
{
	if (*spool.path && spool.owner == getpid())
		cli_spool_discard(AT_FDCWD, spool.path, 0);
}

static void cli_spool_on_signal(int number)
{
	command_spool_discard();
	raise(number); /* the default action is restored */
}

/* ---- open and close --------------------------------------------------------------- */

static void cli_spool_watch_signals(void)
{
	struct sigaction act = { .sa_handler = cli_spool_on_signal,
				 .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!signal_is_ignored(numbers[i]))
			sigaction(numbers[i], &act, NULL);
}

static void restore_signals(void)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct sigaction now;

		if (sigaction(numbers[i], NULL, &now) == 0 &&
		    now.sa_handler == cli_spool_on_signal)
			signal(numbers[i], SIG_DFL);
	}
}

/* Block signals, so that none arrives during creation or removal. */
static void spool_hold_signals(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, ret_before);
}

static void spool_created(bool done, char *path, size_t room, const sigset_t *before)
{
	if (!done) {
		*spool.path = '\0';
	} else {
		spool.owner = getpid();
		cli_spool_watch_signals();
		snprintf(path, room, "%s", spool.path);
	}
	sigprocmask(SIG_SETMASK, before, NULL);
}

int command_spool_open(const char *name, char *path, size_t room, struct error *err)
{
	sigset_t before;
	int status;

	spool_hold_signals(&before);
	status = dir_temporary(name, spool.path, sizeof spool.path, err);
	spool_created(!status, path, room, &before);
	return status;
}

int command_spool_file(const char *target, char *path, size_t room)
{
	sigset_t before;
	int fd = -1, why = ENAMETOOLONG, len;

	spool_hold_signals(&before);
	len = snprintf(spool.path, sizeof spool.path, "%s.XXXXXX", target);
	if (len >= 0 && (size_t)len < sizeof spool.path) {
		fd = mkostemp(spool.path, O_CLOEXEC);
		why = errno;
	}
	spool_created(fd >= 0, path, room, &before);
	errno = why;
	return fd;
}

void command_spool_close(void)
{
	if (*spool.path && unlink(spool.path) != 0)
		dir_remove(spool.path, NULL);
	restore_signals();
	*spool.path = '\0';
}
