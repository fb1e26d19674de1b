/* SPDX-License-Identifier: MIT
 *
 * workers.c - the worker processes: forked on first use, killed with all their
 * descendants, reaped. */
#include "files.h"
#include "clock.h"
#include "supervisor.h"
#include "worker.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOG_LINE = 4096,
	LOG_PER_SECOND = 50,
	LINELESS_MS = 1000, /* time limit of a worker without a connection, */
	RETIRE_MS = 5000,   /* and of one that was asked to close */
};

static void ignore_signal(int number)
{
	(void)number;
}

static void workers_set_limit(int which, rlim_t soft)
{
	struct rlimit l;

	if (getrlimit(which, &l) < 0)
		return;
	l.rlim_cur = l.rlim_max == RLIM_INFINITY || soft < l.rlim_max ? soft : l.rlim_max;
	setrlimit(which, &l);
}

static void workers_lower_hard_limit(int which, rlim_t hard)
{
	struct rlimit l;

	if (getrlimit(which, &l) < 0 || l.rlim_max <= hard)
		return;
	l.rlim_max = hard;
	if (l.rlim_cur > hard)
		l.rlim_cur = hard;
	setrlimit(which, &l);
}

static void set_signals(void)
{
	/* A handler, not SIG_IGN: programs that a tool starts get the default. */
	struct sigaction pipe_action = { .sa_handler = ignore_signal };
	sigset_t none;

	sigaction(SIGPIPE, &pipe_action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A worker has only these descriptors: /dev/null on 0, its log on 1 and 2, the
 * connection to the supervisor on 3. */
static bool set_descriptors(int line, int log)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* Above everything that the three numbers below may overwrite. */
	line = fcntl(line, F_DUPFD_CLOEXEC, 16);
	log = fcntl(log, F_DUPFD_CLOEXEC, 16);
	null = fcntl(null, F_DUPFD_CLOEXEC, 16);
	if (line < 0 || log < 0 || null < 0)
		return false;
	if (dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 ||
	    dup3(line, 3, O_CLOEXEC) < 0)
		return false;
	return close_range(4, ~0u, 0) == 0;
}

/* When out of memory, the kernel should kill a tool, not the conversation. */
static void prefer_oom_kill(void)
{
	int dumpable = prctl(PR_GET_DUMPABLE), fd;

	/* The /proc files of a process that is not dumpable belong to root. */
	prctl(PR_SET_DUMPABLE, 1);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	prctl(PR_SET_DUMPABLE, dumpable == 1);
	if (fd < 0)
		return;
	file_write_all(fd, "300", 3);
	close(fd);
}

static _Noreturn void become_worker(struct supervisor *s, struct worker_proc *w, int line,
				    int log, pid_t parent)
{
	const struct limits *limits = &s->spec.limits;
	struct error err = ERROR_NONE;
	char number[16];
	int joining;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0); /* the supervisor died before the signal was armed */
	prctl(PR_SET_NAME, "mortise-worker");
	setpgid(0, 0);
	joining = limit_join_group(s, w->number);
	snprintf(number, sizeof number, "%u", w->number);
	setenv(WORKER_MARK, number, 1);
	workers_set_limit(RLIMIT_CORE, 0);
	workers_set_limit(RLIMIT_NOFILE, (rlim_t)limits->files_max);
	if (limits->open_files)
		workers_lower_hard_limit(RLIMIT_NOFILE, (rlim_t)limits->open_files);
	if (limits->memory_max)
		workers_set_limit(RLIMIT_AS, (rlim_t)limits->memory_max);
	spec_keep_only(&s->spec, w->instance);
	prefer_oom_kill();
	if (worker_enter_sandbox(s, &s->spec.instances[w->instance], &err)) {
		file_write_all(log, err.text, strlen(err.text));
		_exit(WORKER_OUTSIDE);
	}
	limit_wait_joined(joining);
	if (!set_descriptors(line, log))
		_exit(1);
	set_signals();
	worker_run(&s->spec, w->plugin, 3);
}

static struct worker_proc *child_new(struct supervisor *s, int instance)
{
	struct worker_proc *w = calloc(1, sizeof *w);
	char *copy = strdup(s->spec.instances[instance].plugin);

	if (!w || !copy) {
		free(w);
		free(copy);
		return NULL;
	}
	w->number = ++s->children_made;
	w->plugin = copy;
	w->instance = instance;
	w->label = strrchr(copy, '/') ? strrchr(copy, '/') + 1 : copy;
	w->fd = w->log_fd = -1;
	w->exit_deadline = -1;
	w->parts = STRBUF(FRAME_WHOLE_MAX);
	w->log_line = STRBUF(LOG_LINE + 1);
	w->packets_end = &w->packets;
	return w;
}

static void child_free(struct worker_proc *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->log_fd >= 0)
		close(w->log_fd);
	while (w->packets) {
		struct packet *next = w->packets->next;

		free(w->packets);
		w->packets = next;
	}
	strbuf_clear(&w->parts);
	strbuf_clear(&w->log_line);
	free(w->plugin);
	free(w);
}

static bool child_fork(struct supervisor *s, struct worker_proc *w)
{
	pid_t parent = getpid();
	int line[2] = { -1, -1 }, log[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return false;
	if (pipe2(log, O_CLOEXEC) < 0) {
		close(line[0]);
		close(line[1]);
		return false;
	}
	fcntl(line[0], F_SETFL, O_NONBLOCK);
	fcntl(log[0], F_SETFL, O_NONBLOCK);
	w->pid = fork();
	if (w->pid == 0)
		become_worker(s, w, line[1], log[1], parent);
	close(line[1]);
	close(log[1]);
	w->fd = line[0];
	w->log_fd = log[0];
	return w->pid > 0;
}

struct worker_proc *worker_proc_for(struct supervisor *s, int instance)
{
	struct worker_proc *w;

	for (w = s->children; w; w = w->next)
		if (w->pid && !w->retire && !w->broken &&
		    spec_together(&s->spec, w->instance, instance))
			return w;
	w = child_new(s, instance);
	if (!w)
		return NULL;
	if (!child_fork(s, w)) {
		child_free(w);
		return NULL;
	}
	w->next = s->children;
	s->children = w;
	return w;
}

struct worker_proc *worker_proc_by_number(struct supervisor *s, unsigned number)
{
	struct worker_proc *w = s->children;

	while (w && w->number != number)
		w = w->next;
	return w;
}

static int queue_piece(struct worker_proc *w, const struct frame *f)
{
	struct packet *p = malloc(sizeof *p + FRAME_BUFFER - FRAME_PIECE + f->len);

	if (!p)
		return MT_ENOMEM;
	p->next = NULL;
	p->len = frame_encode(f, p->bytes);
	*w->packets_end = p;
	w->packets_end = &p->next;
	w->packet_bytes += p->len;
	return MT_OK;
}

int worker_proc_send(struct worker_proc *w, const struct frame *f)
{
	struct frame piece = *f;
	size_t left = f->len;
	int status = MT_OK;

	if (f->len > PACKETS_MAX - w->packet_bytes)
		return MT_ELIMIT;
	/* Queuing only a part of a frame would corrupt the connection. */
	do {
		piece.len = left < FRAME_PIECE ? left : FRAME_PIECE;
		left -= piece.len;
		piece.flags = f->flags | (left ? FRAME_MORE : 0);
		status = queue_piece(w, &piece);
		piece.data += piece.len;
	} while (left && !status);
	if (status) {
		worker_proc_kill(w);
		return status;
	}
	worker_proc_write(w);
	return MT_OK;
}

void worker_proc_write(struct worker_proc *w)
{
	while (w->packets && w->fd >= 0) {
		struct packet *p = w->packets;

		if (send(w->fd, p->bytes, p->len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			return; /* full: later; gone: its exit will be reported */
		w->packets = p->next;
		if (!w->packets)
			w->packets_end = &w->packets;
		w->packet_bytes -= p->len;
		explicit_bzero(p->bytes, p->len);
		free(p);
	}
}

void worker_proc_kill(struct worker_proc *w)
{
	if (!w->pid)
		return;
	/* Kill its descendants first, while they can be identified. */
	kill(w->pid, SIGSTOP);
	process_tree_kill_below(w->pid);
	kill(w->pid, SIGKILL);
}

void worker_proc_close(struct worker_proc *w)
{
	struct frame f = { .type = FRAME_CLOSE };

	if (w->closing)
		return;
	w->closing = w->retire = true;
	worker_proc_send(w, &f);
}

void worker_proc_read(struct supervisor *s, struct worker_proc *w)
{
	static char buffer[FRAME_BUFFER];
	struct frame f;

	/* A few frames at a time, so that other workers are served. */
	for (int n = 0; n < 16 && w->fd >= 0; n++) {
		ssize_t len = recv(w->fd, buffer, sizeof buffer, MSG_DONTWAIT);
		int joined;

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (len <= 0) {
			close(w->fd);
			w->fd = -1;
			w->exit_deadline = clock_ms() + LINELESS_MS;
			return; /* usually it is exiting; reaping reports how */
		}
		joined = frame_decode(buffer, (size_t)len, &f);
		if (!joined)
			joined = frame_join(&w->parts, &f);
		if (joined == 1 && !supervisor_take_frame(s, w, &f))
			joined = MT_EINVAL;
		if (joined == 1 && w->parts.len)
			strbuf_clear(&w->parts);
		if (joined < 0) {
			w->broken = true;
			break;
		}
	}
	if (w->broken) {
		worker_proc_kill(w);
		close(w->fd);
		w->fd = -1;
	}
}

int64_t workers_check(struct supervisor *s)
{
	int64_t now = clock_ms(), next = -1;

	for (struct worker_proc *w = s->children; w; w = w->next) {
		if (w->exit_deadline < 0 || !w->pid)
			continue;
		if (w->exit_deadline <= now) {
			w->broken = true;
			w->exit_deadline = -1;
			worker_proc_kill(w);
		} else if (next < 0 || w->exit_deadline - now < next) {
			next = w->exit_deadline - now;
		}
	}
	return next;
}

static void log_out(struct supervisor *s, struct worker_proc *w)
{
	int64_t second = clock_ms() / 1000;
	char text[64];

	if (w->log_second != second) {
		if (w->log_dropped) {
			int len = snprintf(text, sizeof text, "(%u lines were dropped)",
					   w->log_dropped);

			host_log(s, MT_LOG_INFO, w->label, text, (size_t)len);
		}
		w->log_second = second;
		w->log_count = w->log_dropped = 0;
	}
	if (w->log_count++ < LOG_PER_SECOND)
		host_log(s, MT_LOG_INFO, w->label, w->log_line.text, w->log_line.len);
	else
		w->log_dropped++;
	strbuf_reset(&w->log_line);
}

void worker_proc_read_log(struct supervisor *s, struct worker_proc *w)
{
	char buffer[16384];
	ssize_t len = read(w->log_fd, buffer, sizeof buffer);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len <= 0) {
		if (w->log_line.len)
			log_out(s, w);
		close(w->log_fd);
		w->log_fd = -1;
		return;
	}
	for (ssize_t at = 0; at < len;) {
		const char *end = memchr(buffer + at, '\n', (size_t)(len - at));
		size_t n = end ? (size_t)(end - (buffer + at)) : (size_t)(len - at);
		size_t room = LOG_LINE - w->log_line.len;

		strbuf_addn(&w->log_line, buffer + at, n < room ? n : room);
		if (end || w->log_line.len == LOG_LINE || w->log_line.error)
			log_out(s, w);
		at += (ssize_t)n + (end != NULL);
	}
}

/* Describe how a worker ended, for a message. */
static void workers_describe(const struct supervisor *s, const struct worker_proc *w,
			     char *text, size_t room)
{
	if (w->broken)
		snprintf(text, room, "corrupted its connection to the runner");
	else if (WIFSIGNALED(w->exited))
		snprintf(text, room, "was killed by signal %d (%s)", WTERMSIG(w->exited),
			 strsignal(WTERMSIG(w->exited)));
	else if (WEXITSTATUS(w->exited) == WORKER_OUTSIDE)
		snprintf(text, room, "cannot enter its sandbox or the workspace %s",
			 s->spec.workspace);
	else
		snprintf(text, room, "exited with code %d", WEXITSTATUS(w->exited));
}

static void workers_fail_call(struct supervisor *s, struct worker_proc *w, struct call *c)
{
	const char *instance = s->spec.instances[c->instance].name;
	char how[512];

	workers_describe(s, w, how, sizeof how);
	c->crashed = true;
	c->signal = WIFSIGNALED(w->exited) && !w->broken ? WTERMSIG(w->exited) : 0;
	if (w->killed_for == c->number && c->limit_text)
		call_fail(s, c, MT_ELIMIT, "%s Its worker was killed.", c->limit_text);
	else if (w->killed_for == c->number && c->timed_out)
		call_fail(s, c, MT_ETIMEOUT,
			  "`%s` of `%s` (call %s) did not finish within %lld ms and "
			  "ignored its cancellation; its worker was killed",
			  c->tool, instance, c->id, (long long)c->timeout_ms);
	else if (w->killed_for == c->number)
		call_fail(
			s, c, MT_ECANCELLED,
			"`%s` of `%s` (call %s) ignored its cancellation; its worker was killed",
			c->tool, instance, c->id);
	else if (w->killed_for)
		call_fail(s, c, MT_EIO,
			  "`%s` of `%s` (call %s) was aborted: its worker was killed "
			  "because another call did not finish",
			  c->tool, instance, c->id);
	else
		call_fail(s, c, MT_EIO,
			  "`%s` of `%s` (call %s): the worker of %s %s; the next call "
			  "starts a new one",
			  c->tool, instance, c->id, w->label, how);
}

static void reap_worker(struct supervisor *s, struct worker_proc *w, int exited)
{
	struct call *c, *next;

	w->exited = exited;
	w->broken |= WIFEXITED(exited) && WEXITSTATUS(exited) == WORKER_LOST;
	/* Process what it sent and printed before it died. */
	while (w->fd >= 0 && !w->broken) {
		int before = w->fd;
		char probe;

		if (recv(w->fd, &probe, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
			break;
		worker_proc_read(s, w);
		if (w->fd != before)
			break;
	}
	w->pid = 0;
	for (int n = 0; w->log_fd >= 0 && n < 16; n++)
		worker_proc_read_log(s, w);
	process_tree_kill_marked(w->number);
	for (c = s->calls; c; c = next) {
		next = c->next;
		if (c->worker == w->number && !c->done)
			workers_fail_call(s, w, c);
	}
}

void workers_reap(struct supervisor *s)
{
	struct worker_proc **p = &s->children;
	int exited;
	pid_t pid;

	while ((pid = waitpid(-1, &exited, WNOHANG)) > 0)
		for (struct worker_proc *w = s->children; w; w = w->next)
			if (w->pid == pid)
				reap_worker(s, w, exited);
	while (*p) {
		struct worker_proc *w = *p;

		if (w->pid) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		child_free(w);
	}
	limit_allow_forks(s);
}

static bool is_idle(const struct supervisor *s, const struct worker_proc *w)
{
	for (const struct call *c = s->calls; c; c = c->next)
		if (c->worker == w->number && !c->done)
			return false;
	return true;
}

void workers_retire(struct supervisor *s)
{
	for (struct worker_proc *w = s->children; w; w = w->next)
		if (w->pid && w->retire && !w->closing && is_idle(s, w)) {
			worker_proc_close(w);
			w->exit_deadline = clock_ms() + RETIRE_MS;
		}
}
