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
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/vfs.h>
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

static int runner_guard(pid_t supervisor, const char *private_dir,
			const struct limit_group *group, const sigset_t *set)
{
	int code;

	prctl(PR_SET_NAME, "mortise-guard");
	forget_line();
	code = wait_supervisor(supervisor, set);
	process_tree_end(END_MS);
	dir_remove(private_dir, NULL);
	limit_remove_group(group);
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

/* Print what a sandbox with these rules enforces, for a host that has no runner yet. */
static int print_sandbox(const char *text, const char *private_dir)
{
	AUTO(json) json_object *json = js_parse_object(text, strlen(text), NULL);
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	AUTO(strbuf) struct strbuf out = STRBUF(4096);
	struct sandbox sandbox = SANDBOX_NONE;
	struct error err = ERROR_NONE;
	int status = sandbox_rules_read(json, &rules, &err);

	if (!status)
		status = sandbox_make(&rules, private_dir, &sandbox, &err);
	dir_remove(private_dir, NULL);
	if (status) {
		fprintf(stderr, "mortise-runner: %s\n", err.text);
		return 1;
	}
	strbuf_addc(&out, '{');
	sandbox_state_put(&sandbox.state, &out);
	puts(strbuf_add(&out, "}") ? "" : out.text);
	sandbox_clear(&sandbox);
	return 0;
}

static int usage(void)
{
	fputs("Usage: mortise-runner\n"
	      "Run tools for a host that uses protocol " PROTOCOL " on standard\n"
	      "input and output; see doc/runner-protocol.md. Not for interactive use.\n",
	      stderr);
	return 2;
}

static bool is_namespace(int fd)
{
	struct statfs st;

	return fstatfs(fd, &st) == 0 && st.f_type == NSFS_MAGIC;
}

/* Close descriptors that the host did not close; keep those of an overlay, which it passes
 * on purpose. */
static void close_strays(void)
{
	if (!is_namespace(SANDBOX_OVERLAY_USER) || !is_namespace(SANDBOX_OVERLAY_MOUNT)) {
		close_range(3, ~0u, 0);
		return;
	}
	fcntl(SANDBOX_OVERLAY_USER, F_SETFD, FD_CLOEXEC);
	fcntl(SANDBOX_OVERLAY_MOUNT, F_SETFD, FD_CLOEXEC);
	close_range(SANDBOX_OVERLAY_MOUNT + 1, ~0u, 0);
}

int main(int argc, char **argv)
{
	static char private_dir[4096];
	struct limit_group *group;
	pid_t parent, supervisor;
	sigset_t set;

	harden_process();
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("mortise-runner " PACKAGE_VERSION " (" PROTOCOL ")");
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--sandbox") == 0)
		return name_private_dir(private_dir, sizeof private_dir)
			       ? print_sandbox(argv[2], private_dir)
			       : 1;
	if (argc > 1)
		return usage();
	close_strays();
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	group = mmap(NULL, sizeof *group, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (group == MAP_FAILED || !descriptors_ok() ||
	    sigprocmask(SIG_BLOCK, &set, NULL) ||
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
		return runner_guard(supervisor, private_dir, group, &set);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, SUPERVISOR_NAME);
	if (getppid() != parent)
		return 1;
	/* No exit handlers run: the guardian would have to terminate any process that
	 * they start. */
	_exit(supervisor_run(private_dir, group));
}
