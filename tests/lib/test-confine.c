/* SPDX-License-Identifier: MIT
 *
 * test-confine.c - the system calls that the filter refuses, tried in child processes. */
#include "confine.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DONE = 200, SKIPPED = 201 };

static char file[] = "/tmp/mortise-confine-XXXXXX";

/* Each attempt returns 0 if it succeeded, else errno. */
static int try_read(void)
{
	return open(file, O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int try_write(void)
{
	return open(file, O_WRONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int try_append(void)
{
	return open(file, O_RDWR | O_APPEND | O_CLOEXEC) < 0 ? errno : 0;
}

static int try_create(void)
{
	return open("/tmp/mortise-confine-new", O_RDONLY | O_CREAT | O_CLOEXEC, 0600) < 0
		       ? errno
		       : 0;
}

static int try_unlink(void)
{
	return unlink(file) ? errno : 0;
}

static int try_rename(void)
{
	return rename(file, file) ? errno : 0;
}

static int try_chmod(void)
{
	return chmod(file, 0600) ? errno : 0;
}

static int try_mkdir(void)
{
	return mkdir("/tmp/mortise-confine-dir", 0700) ? errno : 0;
}

static int try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int try_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int try_kill(void)
{
	return kill(getppid(), SIGCONT) ? errno : 0;
}

static int try_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int try_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
}

static int try_limit(void)
{
	struct rlimit limit = { 100, 100 };

	return setrlimit(RLIMIT_NOFILE, &limit) ? errno : 0;
}

static int try_memory(void)
{
	return mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? errno
		       : 0;
}

static void *thread(void *arg)
{
	return arg;
}

static int try_thread(void)
{
	pthread_t id;
	int error = pthread_create(&id, NULL, thread, NULL);

	return error ? error : pthread_join(id, NULL);
}

static int try_outlive(void)
{
	return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) ? errno : 0;
}

/* The kernel reads the low half of the argument. */
static int try_outlive_wide(void)
{
	return syscall(SYS_prctl, PR_SET_PDEATHSIG | 1ul << 32, 0, 0, 0, 0) ? errno : 0;
}

/* The read end of a pipe with a byte in it. */
static int full_pipe(void)
{
	int fds[2];

	return pipe2(fds, O_CLOEXEC) || write(fds[1], "x", 1) != 1 ? -1 : fds[0];
}

static int try_owner(void)
{
	return fcntl(full_pipe(), F_SETOWN, getppid()) ? errno : 0;
}

static int try_owner_wide(void)
{
	return syscall(SYS_fcntl, full_pipe(), F_SETOWN | 1ul << 32, getppid()) ? errno
										: 0;
}

static int try_owner_ex(void)
{
	struct f_owner_ex owner = { F_OWNER_PID, getppid() };

	return fcntl(full_pipe(), F_SETOWN_EX, &owner) ? errno : 0;
}

static int try_owner_ioctl(void)
{
	int fds[2], owner = getppid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return DONE;
	return ioctl(fds[0], FIOSETOWN, &owner) ? errno : 0;
}

static int try_ready_signal(void)
{
	return fcntl(full_pipe(), F_SETSIG, SIGKILL) ? errno : 0;
}

static int try_nonblocking(void)
{
	return fcntl(full_pipe(), F_SETFL, O_NONBLOCK) ? errno : 0;
}

static int try_affinity(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return sched_setaffinity(getppid(), sizeof set, &set) ? errno : 0;
}

static int try_abort(void)
{
	abort();
}

static const struct attempt {
	const char *name;
	int (*act)(void);
	unsigned flags;
	int want; /* errno, or -SIGNAL */
} attempts[] = {
	{ "a file can be read", try_read, 0, 0 },
	{ "no file can be read without opens", try_read, CONFINE_NO_OPEN, EPERM },
	{ "no file can be read with the filter of opens", try_read, CONFINE_ONLY_OPEN,
	  EPERM },
	{ "which refuses nothing else", try_chmod, CONFINE_ONLY_OPEN, 0 },
	{ "a file cannot be written", try_write, 0, EPERM },
	{ "a file cannot be appended to", try_append, 0, EPERM },
	{ "a file cannot be created", try_create, 0, EPERM },
	{ "a file cannot be removed", try_unlink, 0, EPERM },
	{ "a file cannot be renamed", try_rename, 0, EPERM },
	{ "a mode cannot be changed", try_chmod, 0, EPERM },
	{ "a directory cannot be made", try_mkdir, 0, EPERM },
	{ "a process cannot be forked", try_fork, 0, EPERM },
	{ "a program cannot be executed", try_exec, 0, EPERM },
	{ "the parent cannot be signalled", try_kill, 0, EPERM },
	{ "a socket cannot be made", try_socket, 0, EPERM },
	{ "nothing can be traced", try_ptrace, 0, EPERM },
	{ "a limit cannot be changed", try_limit, 0, EPERM },
	{ "memory can be mapped", try_memory, CONFINE_NO_OPEN, 0 },
	{ "a thread can be made", try_thread, 0, 0 },
	{ "no thread can be made without threads", try_thread, CONFINE_NO_THREADS, EPERM },
	{ "a process cannot be forked without threads", try_fork, CONFINE_NO_THREADS,
	  EPERM },
	{ "the process cannot outlive its parent", try_outlive, 0, EPERM },
	{ "nor by other bits of the argument", try_outlive_wide, 0, EPERM },
	{ "the parent cannot be the owner of a descriptor", try_owner, 0, EPERM },
	{ "nor by other bits of the command", try_owner_wide, 0, EPERM },
	{ "nor by F_SETOWN_EX", try_owner_ex, 0, EPERM },
	{ "nor by FIOSETOWN", try_owner_ioctl, 0, EPERM },
	{ "a signal cannot be chosen for a descriptor", try_ready_signal, 0, EPERM },
	{ "a descriptor can be made nonblocking", try_nonblocking, 0, 0 },
	{ "the processors of the parent cannot be set", try_affinity, 0, EPERM },
	{ "abort aborts", try_abort, CONFINE_NO_OPEN, -SIGABRT },
};

/* The errno of an attempt in a child, -SIGNAL, or SKIPPED. */
static int attempt_in_child(const struct attempt *a, const struct syscall_filter *c)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(confine_apply(c) ? SKIPPED : a->act());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return DONE;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(void)
{
	int fd = mkstemp(file);

	CHECK(fd >= 0);
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		const struct attempt *a = &attempts[i];
		struct syscall_filter c = { 0 };
		struct error err = ERROR_NONE;
		int got = confine_prepare(a->flags, &c, &err) == MT_OK
				  ? attempt_in_child(a, &c)
				  : SKIPPED;

		syscall_filter_clear(&c);
		if (got == SKIPPED)
			SKIP("this kernel or system has no seccomp filters");
		else
			CHECK_MSG(got == a->want, "%s", a->name);
		if (got != SKIPPED && got != a->want)
			printf("# expected %d, got %d\n", a->want, got);
	}
	CHECK(access(file, F_OK) == 0 && unlink(file) == 0);
	return tap_done();
}
