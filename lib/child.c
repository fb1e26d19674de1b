/* SPDX-License-Identifier: MIT
 *
 * child.c - terminates a child process and its process group. */
#include "child.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

enum {
	EXIT_MS = 500, /* for a child whose input was closed */
	STEP_MS = 100, /* from SIGTERM to SIGKILL */
	LOOK_MS = 5,   /* polling interval without a descriptor */
};

/* Wait for the process. @return false if it still runs. */
static bool child_reap(pid_t pid, int pid_fd, int timeout_ms, int *ret_status)
{
	struct pollfd ended = { .fd = pid_fd, .events = POLLIN };

	if (pid_fd >= 0)
		return poll(&ended, 1, timeout_ms) != 0 &&
		       waitpid(pid, ret_status, WNOHANG) != 0;
	for (int waited = 0; waitpid(pid, ret_status, WNOHANG) == 0; waited += LOOK_MS) {
		if (timeout_ms >= 0 && waited >= timeout_ms)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
	return true;
}

int child_end(pid_t pid, int pid_fd)
{
	int status = 0;

	if (pid <= 0)
		return 0;
	if (!child_reap(pid, pid_fd, EXIT_MS, &status)) {
		kill(-pid, SIGTERM);
		if (!child_reap(pid, pid_fd, STEP_MS, &status)) {
			kill(-pid, SIGKILL);
			while (!child_reap(pid, pid_fd, -1, &status))
				;
		}
	}
	kill(-pid, SIGKILL);
	return status;
}
