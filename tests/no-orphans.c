/* SPDX-License-Identifier: MIT
 *
 * no-orphans.c - runs a test and fails if it leaves a process behind.
 *
 *   no-orphans SECONDS PROGRAM [ARGUMENT]...
 *
 * All descendants of the test become children of this program when their parents end.
 * Those that have not ended SECONDS after the test are named on standard output, as
 * comments of TAP, and killed. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 20, LINE_BYTES = 400 };

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		fprintf(stderr, "no-orphans: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	return pid;
}

/* The exit code of the test, as a shell has it. Orphans that end before are reaped. */
static int wait_for(pid_t test)
{
	int status = 0;
	pid_t pid;

	while ((pid = wait(&status)) != test)
		if (pid < 0 && errno != EINTR)
			return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* @return true while a child is left. */
static bool reap(void)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	return pid == 0;
}

static time_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static bool outlive(time_t end)
{
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000000L };

	while (reap()) {
		if (now_s() >= end)
			return true;
		nanosleep(&tick, NULL);
	}
	return false;
}

static pid_t parent_of(const char *pid)
{
	char path[64], line[LINE_BYTES];
	pid_t parent = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%.20s/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "PPid:", 5) == 0)
			parent = (pid_t)strtol(line + 5, NULL, 10);
	if (f)
		fclose(f);
	return parent;
}

static void print_command(const char *pid)
{
	char path[64], line[LINE_BYTES];
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
	f = fopen(path, "re");
	if (f) {
		len = fread(line, 1, sizeof line, f);
		fclose(f);
	}
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = ' ';
	printf("# left behind: %s %.*s\n", pid, (int)len, line);
}

/* Names and kills the children. */
static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || parent_of(entry->d_name) != getpid())
			continue;
		print_command(entry->d_name);
		kill((pid_t)pid, SIGKILL);
	}
	if (proc)
		closedir(proc);
}

int main(int argc, char **argv)
{
	pid_t test;
	int code;

	if (argc < 3)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test = start(argv + 2);
	code = test < 0 ? 127 : wait_for(test);
	if (!outlive(now_s() + strtol(argv[1], NULL, 10)))
		return code;
	do
		kill_children();
	while (outlive(now_s() + 1));
	return code ? code : 1;
}
