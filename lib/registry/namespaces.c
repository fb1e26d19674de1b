/* SPDX-License-Identifier: MIT
 *
 * namespaces.c - a child process with process identifiers of its own.
 *
 * The first process of a namespace ignores signals that it sends to itself, abort() too.
 * It therefore only waits for the second, which becomes the program, and reports how that
 * ended.
 *
 * _Fork runs no handlers of libraries: they would close descriptors that have been closed
 * since, and reused. */
#include "registry/namespaces.h"
#include "auto.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/* The maps are written after the namespace exists: look before whether they can be. */
static bool enter_namespaces(const struct namespaces *n)
{
	if (access("/proc/self/uid_map", W_OK) != 0 ||
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		return false;
	if (!write_map("/proc/self/setgroups", "deny") ||
	    !write_map("/proc/self/uid_map", n->user) ||
	    !write_map("/proc/self/gid_map", n->group))
		_exit(126);
	return true;
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

/* Returns in the second process of the namespace. */
static void become_second(int report)
{
	int ended;
	pid_t second;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	second = _Fork();
	if (second == 0)
		return;
	if (second < 0)
		_exit(126);
	ended = wait_for(second);
	_exit(write(report, &ended, sizeof ended) == sizeof ended ? 0 : 126);
}

void namespaces_enter(const struct namespaces *n)
{
	int report[2], ended = 0;
	bool reported;
	pid_t first;

	if (!enter_namespaces(n))
		return;
	if (pipe2(report, O_CLOEXEC) != 0)
		_exit(126);
	first = _Fork();
	if (first == 0) {
		close(report[0]);
		become_second(report[1]);
		return;
	}
	close(report[1]);
	reported = first > 0 && read(report[0], &ended, sizeof ended) == sizeof ended;
	if (first > 0)
		wait_for(first);
	if (!reported)
		_exit(126);
	end_like(ended);
}
