/* SPDX-License-Identifier: MIT
 *
 * main.c - mortise-runner: two processes. If one of them is killed, the other terminates
 * all processes that were started.
 *
 * The first one, the guardian, only waits; its child is the supervisor. Both are
 * subreapers: orphaned descendants become children of the supervisor, or of the guardian
 * if the supervisor is dead. The guardian gets SIGHUP when its own parent dies, and
 * forwards it. */
#include "config.h"
#include "supervisor.h"
#include "files.h"
#include "harden.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_MS = 2000 };

static bool descriptors_ok(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* Closed standard descriptors would be reused for other files. */
	while (null >= 0 && null <= STDERR_FILENO) {
		fcntl(null, F_SETFD, 0);
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
	}
	if (null < 0)
		return false;
	close(null);
	return true;
}

static void forget_line(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}

static int wait_supervisor(pid_t supervisor, const sigset_t *set)
{
	int number, status;

	for (;;) {
		if (sigwait(set, &number))
			continue;
		if (number != SIGCHLD) {
			kill(supervisor, number);
			continue;
		}
		if (waitpid(supervisor, &status, WNOHANG) == supervisor)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
}

static int runner_guard(pid_t supervisor, const char *private_dir, const sigset_t *set)
{
	int code;

	prctl(PR_SET_NAME, "mortise-guard");
	forget_line();
	code = wait_supervisor(supervisor, set);
	process_tree_end(END_MS);
	dir_remove(private_dir, NULL);
	return code;
}

/* A name that cannot be guessed, for a directory created on demand. */
static bool name_private_dir(char *path, size_t room)
{
	const char *base = getenv("TMPDIR");
	uint64_t random;
	int len;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return false;
	len = snprintf(path, room, "%s/mortise-runner-%016" PRIx64,
		       base && *base == '/' ? base : "/tmp", random);
	return len > 0 && (size_t)len < room;
}

static int usage(void)
{
	fputs("Usage: mortise-runner\n"
	      "Run tools for a host that uses protocol " PROTOCOL " on standard\n"
	      "input and output; see doc/runner-protocol.md. Not for interactive use.\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static char private_dir[4096];
	pid_t parent, supervisor;
	sigset_t set;

	harden_process();
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("mortise-runner " PACKAGE_VERSION " (" PROTOCOL ")");
		return 0;
	}
	if (argc > 1)
		return usage();
	close_range(3, ~0u, 0); /* descriptors that the host did not close */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (!descriptors_ok() || sigprocmask(SIG_BLOCK, &set, NULL) ||
	    !name_private_dir(private_dir, sizeof private_dir))
		return 1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writing too much to the spool fails instead */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	parent = getpid();
	supervisor = fork();
	if (supervisor < 0)
		return 1;
	if (supervisor > 0)
		return runner_guard(supervisor, private_dir, &set);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return 1;
	/* No exit handlers run: the guardian would have to terminate any process that
	 * they start. */
	_exit(supervisor_run(private_dir));
}
