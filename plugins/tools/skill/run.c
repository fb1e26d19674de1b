/* SPDX-License-Identifier: MIT
 *
 * run.c - runs a command of a skill. */
#include "run.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(const char *command, const char *directory, int out, int err)
{
	int in = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    chdir(directory))
		_exit(126);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Read available output; false: end of output. */
static bool run_take(int fd, struct strbuf *to)
{
	char buffer[4096];
	ssize_t n = read(fd, buffer, sizeof buffer);
	size_t room;

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	room = to->max - 1 - to->len;
	strbuf_addn(to, buffer, (size_t)n < room ? (size_t)n : room);
	if ((size_t)n > room)
		to->error = MT_ELIMIT;
	return true;
}

/* Read until both ends are closed, the time limit is reached, or the call is
 * cancelled. */
static int run_collect(int out, int err, int cancel, int64_t end,
		       struct inline_result *ret)
{
	struct pollfd fds[] = {
		{ .fd = out, .events = POLLIN }, { .fd = err, .events = POLLIN },
		{ .fd = cancel, .events = POLLIN },
	};
	struct strbuf *to[] = { &ret->out, &ret->err };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left = end - clock_ms();

		if (left <= 0) {
			ret->timed_out = true;
			return MT_OK;
		}
		if (poll(fds, 3, (int)left) < 0 && errno != EINTR)
			return MT_EIO;
		if (fds[2].revents)
			return MT_ECANCELLED;
		for (int i = 0; i < 2; i++)
			if (fds[i].revents && !run_take(fds[i].fd, to[i]))
				fds[i].fd = -1;
	}
	return MT_OK;
}

/* Does the process exit in time? It may have closed both ends and still run. */
static bool ends_by(pid_t pid, int64_t end, int *ret_status)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	while (waitpid(pid, ret_status, WNOHANG) == 0) {
		if (clock_ms() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static int skill_run_shell(const char *command, const struct command_place *place,
			   const int out[2], const int err[2], struct inline_result *ret)
{
	int64_t end = clock_ms() + INLINE_SECONDS * 1000;
	pid_t pid = fork();
	int status = 0, r;

	if (pid < 0)
		return MT_EIO;
	if (pid == 0)
		child(command, place->directory, out[1], err[1]);
	setpgid(pid, pid);
	close(out[1]);
	close(err[1]);
	r = run_collect(out[0], err[0], place->cancel_fd, end, ret);
	if (r || ret->timed_out || !ends_by(pid, end, &status)) {
		ret->timed_out = !r;
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	ret->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return r;
}

int run_command(const char *command, void *arg, struct inline_result *ret)
{
	int out[2], err[2], r;

	if (pipe2(out, O_CLOEXEC))
		return MT_EIO;
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return MT_EIO;
	}
	r = skill_run_shell(command, arg, out, err, ret);
	close(out[0]);
	close(err[0]);
	return r;
}
