/* SPDX-License-Identifier: MIT
 *
 * call-handler.c - the process that answers held system calls. It has the rights of the
 * user, but no capabilities, and has entered the Landlock rules once; the program has
 * entered them twice. So the handler can look into the processes of the program, none of
 * them into the handler, and what it does for them cannot reach further than they do but
 * for metadata, which it checks.
 *
 * It is the parent of the program, and inherits the processes that lose their parent,
 * because Yama may let only ancestors look into a process.
 *
 * The first process of a sandbox is a worker, which hides its memory from its own children:
 * it is not dumpable, and so its files in /proc belong to root. The handler opens its memory
 * before that. A further process, the keeper, shares its descriptors and its directory, and
 * does nothing: the handler takes them from there. */
#include "sandbox/call-handler.h"

#include "auto.h"
#include "sandbox/held-call.h"
#include "syscall-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	CONNECTING_MAX = 64,      /* calls of connect() at a time */
	THREAD_STACK = 128 << 10,
	KEEPER_STACK = 16 << 10,
	KEEPER_WAIT_MS = 10000,   /* until it is ready */
	LINE = 3,                 /* descriptors of the handler from here on */
};

/* ---- answering ------------------------------------------------------------------- */

static unsigned connecting; /* changed atomically */

/* The caller may be gone. */
static void handler_answer(const struct held_call *c, int result)
{
	struct seccomp_notif_resp response = { .id = c->id, .error = result };

	ioctl(c->handler->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void *connect_thread(void *arg)
{
	struct held_call *c = arg;

	handler_answer(c, call_connect(c));
	held_call_end(c);
	free(c);
	__atomic_sub_fetch(&connecting, 1, __ATOMIC_RELAXED);
	return NULL;
}

static bool handler_start_thread(void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int failed;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	failed = pthread_create(&thread, &attributes, run, arg);
	pthread_attr_destroy(&attributes);
	return !failed;
}

/* A server may be slow to accept. */
static bool connect_later(const struct held_call *c)
{
	struct held_call *copy;

	if (__atomic_add_fetch(&connecting, 1, __ATOMIC_RELAXED) <= CONNECTING_MAX) {
		copy = malloc(sizeof *copy);
		if (copy) {
			*copy = *c;
			if (handler_start_thread(connect_thread, copy))
				return true;
			free(copy);
		}
	}
	__atomic_sub_fetch(&connecting, 1, __ATOMIC_RELAXED);
	return false;
}

static void answer_call(struct held_call *c)
{
	int result = held_call_begin(c);

	if (!result && c->number == SYS_connect) {
		if (connect_later(c))
			return;
		result = -EAGAIN;
	} else if (!result) {
		result = call_change_metadata(c);
	}
	handler_answer(c, result);
	held_call_end(c);
}

static void *answer_calls(void *arg)
{
	const struct call_handler *h = arg;
	struct seccomp_notif_sizes sizes;
	size_t room = sizeof(struct seccomp_notif);
	struct seccomp_notif *n;

	/* A newer kernel may write more. */
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
	    sizes.seccomp_notif > room)
		room = sizes.seccomp_notif;
	n = calloc(1, room);
	while (n) {
		struct held_call c = { .handler = h };

		memset(n, 0, room);
		if (ioctl(h->listener, SECCOMP_IOCTL_NOTIF_RECV, n) < 0) {
			/* The caller is gone, or all of them. */
			if (errno != EINTR)
				poll(NULL, 0, 1);
			continue;
		}
		c.id = n->id;
		c.thread = (pid_t)n->pid;
		c.number = n->data.nr;
		memcpy(c.args, n->data.args, sizeof c.args);
		answer_call(&c);
	}
	_exit(1);
}

/* ---- the line between program and handler ------------------------------------------ */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_listener(int line, pid_t keeper, int listener)
{
	union control control = { .header = { .cmsg_level = SOL_SOCKET,
					      .cmsg_type = SCM_RIGHTS,
					      .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec text = { &keeper, sizeof keeper };
	const struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control };

	memcpy(CMSG_DATA(&control.header), &listener, sizeof listener);
	return sendmsg(line, &m, MSG_NOSIGNAL) == sizeof keeper ? 0 : -1;
}

static int receive_listener(int line, pid_t *ret_keeper)
{
	union control control = { 0 };
	struct iovec text = { ret_keeper, sizeof *ret_keeper };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof control };
	const struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(line, &m, MSG_CMSG_CLOEXEC) != sizeof *ret_keeper)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

/* ---- the handler --------------------------------------------------------------------- */

/* Only the line remains, and /dev/null where a program expects its standard files. */
static bool keep_only(int *line)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int moved = fcntl(*line, F_DUPFD_CLOEXEC, LINE + 1);

	if (null < 0 || moved < 0)
		return false;
	for (int fd = 0; fd < LINE; fd++)
		if (dup2(null, fd) < 0)
			return false;
	if (dup3(moved, LINE, O_CLOEXEC) < 0)
		return false;
	*line = LINE;
	return close_range(LINE + 1, ~0u, 0) == 0;
}

/* What tools can change in addition to the rules, as file-rules.c allows it. */
static bool add_temporary(struct call_handler *h, const char *temporary)
{
	char path[PATH_MAX];

	return realpath(temporary, path) &&
	       !sandbox_path_add(&h->temporary.write, path) &&
	       !sandbox_path_add(&h->temporary.write, "/dev/shm");
}

static bool attach(struct call_handler *h, int line)
{
	char path[64];

	h->listener = receive_listener(line, &h->keeper);
	if (h->listener < 0)
		return false;
	snprintf(path, sizeof path, "/proc/%d/mem", (int)h->program);
	h->memory = open(path, O_RDONLY | O_CLOEXEC);
	return h->memory >= 0 && send(line, "", 1, MSG_NOSIGNAL) == 1;
}

/* As the program did. */
static _Noreturn void exit_as(int status)
{
	const struct rlimit none = { 0 };
	sigset_t set;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

static _Noreturn void wait_program(pid_t program)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(-1, &status, 0);
	while (pid != program && (pid > 0 || errno == EINTR));
	if (pid == program)
		exit_as(status);
	_exit(1);
}

static _Noreturn void handler_run(const struct sandbox_rules *r, const char *temporary,
				  int landlock, pid_t program, int line)
{
	static struct call_handler h;

	h = (struct call_handler){ .rules = r, .program = program, .landlock = landlock };
	prctl(PR_SET_NAME, "mortise-calls");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* The program dies with it. */
	if (!keep_only(&line) || !add_temporary(&h, temporary) || !attach(&h, line) ||
	    !handler_start_thread(answer_calls, &h))
		_exit(1);
	close(line);
	wait_program(program);
}

/* ---- the program ------------------------------------------------------------------------ */

struct keeper {
	pid_t program;
	int ready; /* descriptor to write to */
};

/* Runs in the keeper. */
static int keep(void *arg)
{
	const struct keeper *k = arg;
	sigset_t all;

	prctl(PR_SET_NAME, "mortise-files");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (write(k->ready, "", 1) != 1)
		return 1;
	while (getppid() == k->program)
		pause();
	return 0;
}

/* Before it is ready, the handler could not look into it. Without a signal at its end, the
 * program does not wait for it by accident. Both use the same descriptors, so an end of
 * the keeper does not close the pipe. */
static pid_t start_keeper(void)
{
	static char stack[KEEPER_STACK] __attribute__((aligned(16)));
	struct pollfd ready = { .events = POLLIN };
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = clone(keep, stack + sizeof stack, CLONE_FILES | CLONE_FS,
		    &(struct keeper){ getpid(), ends[1] });
	ready.fd = ends[0];
	if (pid > 0 && poll(&ready, 1, KEEPER_WAIT_MS) != 1)
		pid = -1;
	close(ends[0]);
	close(ends[1]);
	return pid;
}

int call_handler_fork(const struct sandbox_rules *r, const char *temporary, int landlock,
		      struct call_handler_line *ret)
{
	pid_t parent = getpid(), program;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	program = fork();
	if (program > 0)
		handler_run(r, temporary, landlock, program, ends[0]);
	close(ends[0]);
	*ret = (struct call_handler_line){ .fd = ends[1] };
	if (program < 0) {
		close(ends[1]);
		return -1;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	ret->keeper = start_keeper();
	return ret->keeper < 0 ? -1 : 0;
}

int call_handler_attach(const struct call_handler_line *line, int listener)
{
	int dumpable = prctl(PR_GET_DUMPABLE), failed;
	char ready;

	prctl(PR_SET_DUMPABLE, 1);
	failed = send_listener(line->fd, line->keeper, listener) < 0 ||
		 recv(line->fd, &ready, 1, 0) != 1;
	prctl(PR_SET_DUMPABLE, dumpable == 1);
	close(listener);
	close(line->fd);
	return failed ? -1 : 0;
}

bool call_handler_works(void)
{
	struct sock_filter list[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct syscall_filter filter = { list, ARRAY_LEN(list) };
	AUTO(close) int listener = -1;
	AUTO(close) int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
	AUTO(close) int copy = (int)syscall(SYS_pidfd_getfd, process, STDIN_FILENO, 0);

	/* Other architectures pass numbers of 64 bits in two arguments. */
	if (sizeof(long) < sizeof(uint64_t) || process < 0 ||
	    (copy < 0 && errno != EBADF))
		return false;
	listener = syscall_filter_listen(&filter);
	return listener >= 0;
}
