/* SPDX-License-Identifier: MIT
 *
 * namespaces.c - starts a child process in its own PID namespace.
 *
 * The first process of a namespace ignores signals that it sends to itself, including
 * that of abort(). It therefore only waits for the second, which executes the program, and
 * reports how that ended. The process outside of the namespace is unchanged: if namespaces
 * are refused, or the rights to use them are missing, it executes the program itself.
 *
 * clone3 and _Fork run no handlers of libraries: they would close descriptors that have
 * been closed since, and reused. */
#include "registry/namespaces.h"
#include "auto.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void namespaces_prepare(struct namespaces *n)
{
	snprintf(n->user, sizeof n->user, "%u %u 1", geteuid(), geteuid());
	snprintf(n->group, sizeof n->group, "%u %u 1", getegid(), getegid());
}

static bool write_map(const char *path, const char *text)
{
	AUTO(close) int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool write_maps(const struct namespaces *n)
{
	return write_map("/proc/self/setgroups", "deny") &&
	       write_map("/proc/self/uid_map", n->user) &&
	       write_map("/proc/self/gid_map", n->group);
}

static pid_t fork_into_namespaces(void)
{
	struct clone_args args = { .flags = CLONE_NEWUSER | CLONE_NEWPID,
				   .exit_signal = SIGCHLD };

	return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

static int wait_for(pid_t pid)
{
	int ended = 0;

	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		;
	return ended;
}

/* End as a process did that is not a child of this one. */
static _Noreturn void end_like(int ended)
{
	if (WIFSIGNALED(ended)) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		signal(WTERMSIG(ended), SIG_DFL);
		kill(getpid(), WTERMSIG(ended));
	}
	_exit(WIFEXITED(ended) ? WEXITSTATUS(ended) : 126);
}

/* What the first process reports: that it has entered, then how the second ended. */
static bool report_put(int report, int value)
{
	return write(report, &value, sizeof value) == sizeof value;
}

static bool report_get(int report, int *ret)
{
	ssize_t n;

	while ((n = read(report, ret, sizeof *ret)) < 0 && errno == EINTR)
		;
	return n == sizeof *ret;
}

/* Return in the second process of the namespace. */
static void become_second(const struct namespaces *n, int report)
{
	pid_t second;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!write_maps(n) || !report_put(report, 0))
		_exit(126);
	second = _Fork();
	if (second == 0)
		return;
	_exit(second > 0 && report_put(report, wait_for(second)) ? 0 : 126);
}

void namespaces_enter(const struct namespaces *n)
{
	int report[2], ended = 0;
	bool entered, reported;
	pid_t first;

	if (pipe2(report, O_CLOEXEC) != 0)
		_exit(126);
	first = fork_into_namespaces();
	if (first == 0) {
		close(report[0]);
		become_second(n, report[1]);
		return;
	}
	close(report[1]);
	entered = first > 0 && report_get(report[0], &ended);
	reported = entered && report_get(report[0], &ended);
	close(report[0]);
	if (first > 0)
		wait_for(first);
	if (!entered)
		return;
	if (!reported)
		_exit(126);
	end_like(ended);
}
