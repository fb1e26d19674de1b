/* SPDX-License-Identifier: MIT
 *
 * no-orphans.c - runs a test in an empty directory, and fails if it leaves a process behind.
 *
 *   no-orphans SECONDS LIMIT PROGRAM [ARGUMENT]...
 *
 * The directory is temporary. In the build directory, each conversation of a test would take
 * a snapshot of all object files. Arguments that are relative paths of files become absolute.
 *
 * All descendants of the test become children of this program when their parents end.
 * Those that have not ended SECONDS after the test are named on standard output, as
 * comments of TAP, and killed. After LIMIT seconds the test itself is killed. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 20, LINE_BYTES = 400, CODE_LATE = 124 };

static volatile sig_atomic_t is_late;
static char directory[PATH_MAX];

static bool enter_directory(char **argv)
{
	const char *temporary = getenv("TMPDIR");

	for (char **arg = argv; *arg; arg++)
		if (**arg != '/' && strchr(*arg, '/') && access(*arg, F_OK) == 0 &&
		    !(*arg = realpath(*arg, NULL)))
			return false;
	snprintf(directory, sizeof directory, "%s/mortise-test.XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	return mkdtemp(directory) && chdir(directory) == 0;
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0;
}

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

static void on_alarm(int number)
{
	(void)number;
	is_late = 1;
}

/* The signal is repeated, because it can arrive just before a call of wait. */
static void set_limit(long seconds)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval limit = { .it_value.tv_sec = seconds,
					 .it_interval.tv_sec = 1 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
}

/* The exit code of the test, as a shell has it. Orphans that end before are reaped. */
static int wait_for(pid_t test)
{
	int status = 0;
	pid_t pid;

	while ((pid = wait(&status)) != test) {
		if (pid < 0 && errno != EINTR)
			return 127;
		if (is_late)
			return CODE_LATE;
	}
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

	if (argc < 4)
		return 2;
	if (!enter_directory(argv + 3)) {
		fprintf(stderr, "no-orphans: %s: %s\n", directory, strerror(errno));
		return 127;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test = start(argv + 3);
	set_limit(strtol(argv[2], NULL, 10));
	code = test < 0 ? 127 : wait_for(test);
	if (is_late)
		printf("# killed after %s seconds\n", argv[2]);
	if (outlive(is_late ? 0 : now_s() + strtol(argv[1], NULL, 10))) {
		do
			kill_children();
		while (outlive(now_s() + 1));
		code = code ? code : 1;
	}
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	return code;
}
