/* SPDX-License-Identifier: MIT
 *
 * escape.c - makes attempts to break out of a sandbox, and checks what happened. */
#include "sandbox/escape.h"

#include "auto.h"
#include "files.h"
#include "sandbox/escape-internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

const char escape_secret[] = "secret of mortise verify\n";

/* Exit codes of the process of an attempt; smaller ones are numbers of errors. */
enum { CODE_ESCAPED = 200, CODE_NOT_HERE, CODE_UNKNOWN };

enum { SECONDS_MAX = 20 };

size_t escape_count(void)
{
	return escape_row_count;
}

const char *escape_name(size_t i)
{
	return escape_rows[i].name;
}

unsigned escape_kind(size_t i)
{
	return escape_rows[i].kind;
}

/* ---- targets ---------------------------------------------------------------- */

static int escape_listen(int family, int type, const void *address, socklen_t len)
{
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && bind(fd, address, len) == 0 &&
	    (type == SOCK_DGRAM || listen(fd, 8) == 0))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* An address of this machine that is not that of localhost; 0: none. */
static in_addr_t host_address(void)
{
	struct ifaddrs *all = NULL;
	in_addr_t found = 0;

	if (getifaddrs(&all) < 0)
		return 0;
	for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
		    !(i->ifa_flags & IFF_LOOPBACK))
			found = ((const struct sockaddr_in *)(const void *)i->ifa_addr)
					->sin_addr.s_addr;
	freeifaddrs(all);
	return found;
}

static int listen_unix(const char *path, const char *abstract)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t at = abstract ? 1 : 0, len = strlen(abstract ? abstract : path);

	if (len + at >= sizeof a.sun_path)
		return -1;
	memcpy(a.sun_path + at, abstract ? abstract : path, len);
	return escape_listen(AF_UNIX, SOCK_STREAM, &a,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + at +
					 len));
}

static bool open_sockets(struct escape_targets *t)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof in;
	char path[300];
	int *s = t->sockets;

	s[ESCAPE_TCP] = escape_listen(AF_INET, SOCK_STREAM, &in, sizeof in);
	if (s[ESCAPE_TCP] < 0 || getsockname(s[ESCAPE_TCP], (void *)&in, &len) < 0)
		return false;
	t->port = ntohs(in.sin_port);
	s[ESCAPE_UDP] = escape_listen(AF_INET, SOCK_DGRAM, &in, sizeof in);
	in.sin_addr.s_addr = t->address = host_address();
	if (t->address)
		s[ESCAPE_ADDRESS] = escape_listen(AF_INET, SOCK_STREAM, &in, sizeof in);
	snprintf(path, sizeof path, "%s/socket", t->dir);
	s[ESCAPE_UNIX] = listen_unix(path, NULL);
	s[ESCAPE_ABSTRACT] = listen_unix(NULL, t->abstract);
	return s[ESCAPE_UDP] >= 0 && s[ESCAPE_UNIX] >= 0 && s[ESCAPE_ABSTRACT] >= 0;
}

static int escape_make_file(const struct escape_targets *t, const char *name,
			    const char *text, struct error *err)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", t->dir, name);
	return file_write(path, text, strlen(text), 0600, false, err);
}

static int make_files(const struct escape_targets *t, struct error *err)
{
	int status = escape_make_file(t, "secret", escape_secret, err);

	for (size_t i = 0; !status && i < escape_row_count; i++)
		if (escape_rows[i].happened == escape_was_changed)
			status = escape_make_file(t, escape_rows[i].file, "x", err);
	return status;
}

/* Another process of the user, which blocks the signal that it may get. */
static pid_t start_victim(void)
{
	sigset_t signals;
	pid_t pid;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	return pid;
}

static void shared_memory_path(const struct escape_targets *t, char *path, size_t room)
{
	snprintf(path, room, "/dev/shm/%s", t->abstract);
}

int escape_open(struct escape_targets *t, const char *dir, struct error *err)
{
	/* A change within one tick of the clock of files would not be seen. */
	const struct timespec tick = { .tv_nsec = 20000000 };
	char path[64];
	int status;

	*t = (struct escape_targets){ .victim = -1 };
	for (size_t i = 0; i < ESCAPE_SOCKETS; i++)
		t->sockets[i] = -1;
	if (strlen(dir) >= 80)
		return fail(err, MT_ELIMIT, "the path %s is too long for a Unix socket",
			    dir);
	snprintf(t->dir, sizeof t->dir, "%s", dir);
	snprintf(t->abstract, sizeof t->abstract, "mortise-verify-%d", (int)getpid());
	status = dir_make(t->dir, err);
	if (!status)
		status = make_files(t, err);
	shared_memory_path(t, path, sizeof path);
	if (!status)
		file_write(path, "x", 1, 0600, false, NULL); /* or there is none */
	if (!status && !open_sockets(t))
		status = fail(err, MT_EIO, "cannot open sockets: %s", strerror(errno));
	if (!status)
		t->victim = start_victim();
	clock_gettime(CLOCK_REALTIME, &t->made);
	nanosleep(&tick, NULL);
	return status;
}

void escape_close(struct escape_targets *t)
{
	char path[64];

	if (t->victim > 0) {
		kill(t->victim, SIGKILL);
		waitpid(t->victim, NULL, 0);
	}
	for (size_t i = 0; i < ESCAPE_SOCKETS; i++)
		if (t->sockets[i] >= 0)
			close(t->sockets[i]);
	if (!*t->dir)
		return;
	dir_remove(t->dir, NULL);
	shared_memory_path(t, path, sizeof path);
	unlink(path);
}

/* ---- what happened, as seen from outside ------------------------------------ */

static bool escape_stat(const struct escape_targets *t, const char *name, struct stat *st)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", t->dir, name);
	return lstat(path, st) == 0;
}

bool escape_was_created(const struct escape_targets *t, const struct escape_row *row)
{
	struct stat st;

	return escape_stat(t, row->file, &st);
}

bool escape_was_changed(const struct escape_targets *t, const struct escape_row *row)
{
	struct stat st;

	if (!escape_stat(t, row->file, &st))
		return true;
	return st.st_ctim.tv_sec > t->made.tv_sec ||
	       (st.st_ctim.tv_sec == t->made.tv_sec &&
		st.st_ctim.tv_nsec > t->made.tv_nsec);
}

bool escape_was_reached(const struct escape_targets *t, const struct escape_row *row)
{
	struct pollfd p = { .fd = t->sockets[row->socket], .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

bool escape_was_limited(const struct escape_targets *t, const struct escape_row *row)
{
	struct rlimit limit;

	(void)row;
	return prlimit(t->victim, RLIMIT_CORE, NULL, &limit) == 0 &&
	       limit.rlim_cur == 4096;
}

bool escape_was_slowed(const struct escape_targets *t, const struct escape_row *row)
{
	(void)row;
	return getpriority(PRIO_PROCESS, (id_t)t->victim) == 19;
}

void escape_check(const struct escape_targets *t, struct escape_result *results)
{
	for (size_t i = 0; i < escape_row_count; i++) {
		const struct escape_row *row = &escape_rows[i];

		if (row->happened && results[i].outcome != ESCAPE_SKIPPED &&
		    results[i].outcome != ESCAPE_NOT_TRIED)
			results[i].outcome =
				row->happened(t, row) ? ESCAPE_SUCCEEDED : ESCAPE_REFUSED;
	}
}

/* ---- attempts --------------------------------------------------------------- */

static _Noreturn void attempt(const struct escape_row *row,
			      const struct escape_targets *t)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(SECONDS_MAX);
	errno = 0;
	switch (row->act(t)) {
	case ESCAPED:
		_exit(CODE_ESCAPED);
	case NOT_HERE:
		_exit(CODE_NOT_HERE);
	}
	_exit(errno > 0 && errno < CODE_ESCAPED ? errno : CODE_UNKNOWN);
}

void escape_attempt(size_t i, const struct escape_targets *t, int fd)
{
	struct escape_result r = { ESCAPE_REFUSED, 0, 0 };
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		attempt(&escape_rows[i], t);
	if (pid < 0)
		r.error = errno;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		r.signal = WTERMSIG(status);
	else if (pid > 0 && WEXITSTATUS(status) == CODE_ESCAPED)
		r.outcome = ESCAPE_SUCCEEDED;
	else if (pid > 0 && WEXITSTATUS(status) == CODE_NOT_HERE)
		r.outcome = ESCAPE_SKIPPED;
	else if (pid > 0 && WEXITSTATUS(status) != CODE_UNKNOWN)
		r.error = WEXITSTATUS(status);
	dprintf(fd, "escape %zu %d %d %d\n", i, (int)r.outcome, r.error, r.signal);
}

void escape_read(const char *line, struct escape_result *results)
{
	unsigned i, outcome;
	int error, signal;

	if (sscanf(line, "escape %u %u %d %d", &i, &outcome, &error, &signal) == 4 &&
	    i < escape_row_count && outcome <= ESCAPE_SKIPPED)
		results[i] = (struct escape_result){ (enum escape_outcome)outcome, error,
						     signal };
}

/* ---- texts ------------------------------------------------------------------ */

const char *escape_outcome_text(const struct escape_result *r)
{
	static const char *const texts[] = {
		[ESCAPE_NOT_TRIED] = "not tried",
		[ESCAPE_REFUSED] = "refused",
		[ESCAPE_SUCCEEDED] = "SUCCEEDED",
		[ESCAPE_SKIPPED] = "skipped",
	};

	return texts[r->outcome];
}

const char *escape_reason(const struct escape_result *r)
{
	if (r->outcome != ESCAPE_REFUSED)
		return "";
	if (r->signal)
		return strsignal(r->signal);
	return r->error ? strerror(r->error) : "no effect outside";
}
