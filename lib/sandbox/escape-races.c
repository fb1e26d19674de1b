/* SPDX-License-Identifier: MIT
 *
 * escape-races.c - attempts to break out of a sandbox that change a path while it is being
 * checked, and that use more than a sandbox should allow. */
#include "sandbox/escape-internal.h"

#include "auto.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
	RACE_MS = 60,
	PROCESSES = 400,
	MEMORY = 512 << 20,
	DISK = 400 << 20,
	SAMPLED_SECONDS = 5, /* for a limit that is measured from time to time */
	OUTPUT = 64 << 20,
};

/* ---- races ------------------------------------------------------------------ */

/* A directory in the workspace, which is removed afterwards. */
static const char playground[] = "mortise-verify";

static pid_t start_racer(void (*step)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			step(arg);
	}
	return pid;
}

/* Calls `act` again and again while another process calls `step`. What `act` returns does
 * not matter: outside it is seen whether it succeeded once. */
static int race(void (*step)(void *arg), int (*act)(const char *path), void *arg,
		const char *path)
{
	pid_t pid = start_racer(step, arg);
	int64_t end = clock_ms() + RACE_MS;
	int error = 0;

	if (pid < 0)
		return HELD;
	while (clock_ms() < end)
		if (act(path) < 0)
			error = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = error;
	return HELD;
}

static int enter_playground(void)
{
	return (mkdir(playground, 0700) == 0 || errno == EEXIST) && chdir(playground) == 0
		       ? 0
		       : -1;
}

static int leave_playground(int result)
{
	int error = errno;

	if (chdir("..") == 0)
		dir_remove(playground, NULL);
	errno = error;
	return result;
}

/* `link` names a directory inside and one outside, by turns. */
static void flip_link(void *arg)
{
	const struct escape_targets *t = arg;

	if (symlink("inside", "next") == 0)
		rename("next", "link");
	if (symlink(t->dir, "next") == 0)
		rename("next", "link");
}

static int race_link(const struct escape_targets *t, int (*act)(const char *path),
		     const char *name)
{
	char path[64];
	int fd;

	if (enter_playground() < 0)
		return HELD;
	snprintf(path, sizeof path, "inside/%s", name);
	if (mkdir("inside", 0700) == 0) {
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd >= 0)
			close(fd);
	}
	snprintf(path, sizeof path, "link/%s", name);
	return leave_playground(race(flip_link, act, (void *)(uintptr_t)t, path));
}

static int act_create(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : close(fd);
}

static int act_chmod(const char *path)
{
	return chmod(path, 0640);
}

int escape_race_write(const struct escape_targets *t)
{
	return race_link(t, act_create, "race-write");
}

int escape_race_mode(const struct escape_targets *t)
{
	return race_link(t, act_chmod, "race-mode");
}

/* The first byte of the path, which is then relative or absolute. */
static void flip_argument(void *arg)
{
	volatile char *path = arg;

	path[0] = '.';
	path[0] = '/';
}

int escape_race_argument(const struct escape_targets *t)
{
	char *path = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd;

	if (path == MAP_FAILED || enter_playground() < 0)
		return HELD;
	snprintf(path, PATH_MAX, "%s/race-argument", t->dir);
	/* The same path below this directory, so that it exists. */
	for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
		*path = '.';
		*end = '\0';
		mkdir(path, 0700);
		*end = '/';
	}
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return leave_playground(race(flip_argument, act_chmod, path, path));
}

/* ---- floods ----------------------------------------------------------------- */

int escape_flood_processes(const struct escape_targets *t)
{
	pid_t list[PROCESSES];
	int count = 0, error;

	(void)t;
	while (count < PROCESSES) {
		list[count] = fork();
		if (list[count] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
		if (list[count] < 0)
			break;
		count++;
	}
	error = errno;
	if (count == PROCESSES)
		sleep(SAMPLED_SECONDS);
	for (int i = 0; i < count; i++) {
		kill(list[i], SIGKILL);
		waitpid(list[i], NULL, 0);
	}
	errno = error;
	return count == PROCESSES ? ESCAPED : HELD;
}

int escape_flood_memory(const struct escape_targets *t)
{
	char *bytes = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)t;
	if (bytes == MAP_FAILED)
		return HELD;
	for (size_t i = 0; i < MEMORY; i += 4096)
		bytes[i] = 1;
	sleep(SAMPLED_SECONDS);
	return ESCAPED;
}

/* @return 0 if all of it was written */
static int flood(int fd, size_t total)
{
	static char bytes[1 << 16];

	memset(bytes, 'x', sizeof bytes - 1);
	bytes[sizeof bytes - 1] = '\n';
	for (size_t done = 0; done < total; done += sizeof bytes)
		if (file_write_all(fd, bytes, sizeof bytes))
			return HELD;
	return ESCAPED;
}

int escape_flood_disk(const struct escape_targets *t)
{
	int fd = open("mortise-verify-flood", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	int result, error;

	(void)t;
	if (fd < 0)
		return HELD;
	unlink("mortise-verify-flood");
	result = flood(fd, DISK);
	error = errno;
	if (result == ESCAPED)
		sleep(SAMPLED_SECONDS);
	close(fd);
	errno = error;
	return result;
}

int escape_flood_output(const struct escape_targets *t)
{
	(void)t;
	return flood(STDERR_FILENO, OUTPUT);
}
