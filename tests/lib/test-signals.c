/* SPDX-License-Identifier: MIT
 *
 * test-signals.c - the signals of a child. */
#include "signals.h"

#include "tap.h"

#include <sys/wait.h>
#include <unistd.h>

static void on_signal(int number)
{
	_exit(number ? 100 : 0);
}

/* A child that inherits a handler and a pending, blocked signal. */
static int child_status(void)
{
	struct sigaction handler = { .sa_handler = on_signal };
	sigset_t one, before;
	int status = 0;
	pid_t pid;

	sigaction(SIGUSR1, &handler, NULL);
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, &before);
	pid = fork();
	if (pid == 0) {
		raise(SIGUSR1);
		signals_reset();
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void a_child_does_not_run_the_handlers_of_its_parent(void)
{
	int status = child_status();

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
}

static void a_child_ignores_nothing(void)
{
	sigset_t now;
	int status = 0;
	pid_t pid;

	signal(SIGHUP, SIG_IGN);
	CHECK(signal_is_ignored(SIGHUP));
	pid = fork();
	if (pid == 0) {
		signals_reset();
		sigprocmask(SIG_SETMASK, NULL, &now);
		_exit(signal_is_ignored(SIGHUP) || sigismember(&now, SIGUSR1));
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	a_child_does_not_run_the_handlers_of_its_parent();
	a_child_ignores_nothing();
	return tap_done();
}
