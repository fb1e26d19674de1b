/* SPDX-License-Identifier: MIT
 *
 * test-child.c - termination of a child and its process group. */
#include "child.h"

#include "tap.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int
	closed_by_all[2]; /* its writer stays open while a process of the group lives */

/* A child that leads its group and ignores SIGTERM or exits with `code`. */
static pid_t start(int code)
{
	int ready[2];
	char byte;
	pid_t pid;

	CHECK(pipe(ready) == 0 && pipe(closed_by_all) == 0);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		if (!code)
			signal(SIGTERM, SIG_IGN);
		if (fork() == 0)
			for (;;)
				pause();
		if (write(ready[1], "", 1) != 1 || code)
			_exit(code);
		for (;;)
			pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	close(closed_by_all[1]);
	return pid;
}

static bool group_ended(void)
{
	struct pollfd end = { .fd = closed_by_all[0], .events = POLLIN };
	bool ended = poll(&end, 1, 10000) == 1 && end.revents & POLLHUP;

	close(closed_by_all[0]);
	return ended;
}

/* With a descriptor of the process, or without one. */
static int end(pid_t pid, bool has_fd)
{
	int pid_fd = has_fd ? pidfd_open(pid, 0) : -1, status = child_end(pid, pid_fd);

	if (pid_fd >= 0)
		close(pid_fd);
	return status;
}

static void a_child_that_ignores_sigterm_is_killed(bool has_fd)
{
	int status = end(start(0), has_fd);

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(group_ended());
}

static void the_group_of_a_child_that_exited_is_killed(bool has_fd)
{
	int status = end(start(3), has_fd);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK(group_ended());
}

int main(void)
{
	for (int has_fd = 0; has_fd < 2; has_fd++) {
		a_child_that_ignores_sigterm_is_killed(has_fd);
		the_group_of_a_child_that_exited_is_killed(has_fd);
	}
	CHECK(child_end(0, -1) == 0);
	return tap_done();
}
