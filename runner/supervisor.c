/* SPDX-License-Identifier: MIT
 *
 * supervisor.c - the loop: waits for host, workers, signals and deadlines only; and
 * the shutdown. */
#include "supervisor.h"
#include "clock.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OUT_MAX = 128 << 20,
	HELLO_ROOM = 1 << 20,
	CLOSE_MS = 1000, /* time for workers to close at shutdown */
	END_MS = 1500,   /* time to kill the remaining processes */
	FIXED = 5,       /* host in, host out, socket, signals, reports of the proxy */
};

/* The host is disconnected: wait for another one, or shut down. */
static void host_cut(struct supervisor *s)
{
	if (s->in_fd < 0)
		return;
	close(s->in_fd);
	if (s->out_fd != s->in_fd)
		close(s->out_fd);
	s->in_fd = s->out_fd = -1;
	strbuf_clear(&s->out);
	jsonl_done(&s->in);
	if (s->listen_fd >= 0)
		s->cut_until = clock_ms() + s->spec.linger_ms;
	else
		s->ending = true;
}

static void host_join(struct supervisor *s, int in_fd, int out_fd)
{
	fcntl(in_fd, F_SETFL, fcntl(in_fd, F_GETFL) | O_NONBLOCK);
	fcntl(out_fd, F_SETFL, fcntl(out_fd, F_GETFL) | O_NONBLOCK);
	s->in_fd = in_fd;
	s->out_fd = out_fd;
	s->out = STRBUF(OUT_MAX);
	jsonl_init(&s->in, HOST_LINE_MAX, host_line, s);
	/* The first line has tokens: growing for it must not leave copies. */
	strbuf_reserve(&s->in.line, HELLO_ROOM);
}

static void host_read(struct supervisor *s)
{
	static char buffer[65536];
	ssize_t n = read(s->in_fd, buffer, sizeof buffer);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || jsonl_feed(&s->in, buffer, (size_t)n)) {
		host_cut(s);
		return;
	}
	explicit_bzero(buffer, (size_t)n);
}

static void host_accept(struct supervisor *s)
{
	struct ucred peer;
	socklen_t len = sizeof peer;
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0)) {
		close(fd);
		return;
	}
	/* The newer host replaces the older one, whose connection may hang. */
	host_cut(s);
	host_join(s, fd, fd);
	s->attached = true;
}

static void supervisor_take_signals(struct supervisor *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGHUP && !s->attached)
			host_cut(s); /* the parent of the runner died */
		else if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGHUP)
			s->ending = true;
	}
	workers_reap(s);
}

static int64_t supervisor_earlier(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Time until the next deadline; -1: none. */
static int supervisor_time_left(struct supervisor *s)
{
	int64_t left = supervisor_earlier(calls_check(s), workers_check(s));

	left = supervisor_earlier(left, limit_check(s));
	if (s->in_fd < 0) {
		int64_t cut = s->cut_until - clock_ms();

		if (cut <= 0)
			s->ending = true;
		left = supervisor_earlier(left, cut > 0 ? cut : 0);
	}
	return left > 1 << 30 ? 1 << 30 : (int)left;
}

static size_t supervisor_watch(const struct supervisor *s, struct pollfd *p)
{
	bool full = s->held > RESULTS_HIGH_WATER;
	size_t n = FIXED;

	p[0] = (struct pollfd){ .fd = s->in_fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = s->out.len ? s->out_fd : -1, .events = POLLOUT };
	p[2] = (struct pollfd){ .fd = s->listen_fd, .events = POLLIN };
	p[3] = (struct pollfd){ .fd = s->signal_fd, .events = POLLIN };
	p[4] = (struct pollfd){ .fd = s->reports_fd, .events = POLLIN };
	for (const struct worker_proc *w = s->children; w; w = w->next) {
		int events = (full ? 0 : POLLIN) | (w->packets ? POLLOUT : 0);

		p[n++] = (struct pollfd){ .fd = events ? w->fd : -1,
					  .events = (short)events };
		p[n++] = (struct pollfd){ .fd = w->log_fd, .events = POLLIN };
	}
	return n;
}

static void serve_children(struct supervisor *s, const struct pollfd *p, size_t count)
{
	struct worker_proc *w = s->children;

	/* Nothing here starts or reaps a child, so the list does not change. */
	for (size_t n = FIXED; n < count && w; n += 2, w = w->next) {
		if (p[n].revents & POLLOUT)
			worker_proc_write(w);
		if (p[n].revents & (POLLIN | POLLHUP | POLLERR) && w->fd >= 0)
			worker_proc_read(s, w);
		if (p[n + 1].revents && w->log_fd >= 0)
			worker_proc_read_log(s, w);
	}
}

static void loop_iteration(struct supervisor *s)
{
	size_t room = FIXED, count;
	struct pollfd *p;
	int left;

	for (const struct worker_proc *w = s->children; w; w = w->next)
		room += 2;
	p = calloc(room, sizeof *p);
	left = supervisor_time_left(s);
	if (!p || s->ending || s->out.error) {
		s->ending = true;
		free(p);
		return;
	}
	count = supervisor_watch(s, p);
	if (poll(p, (nfds_t)count, left) > 0) {
		serve_children(s, p, count);
		if (p[4].revents)
			supervisor_read_reports(s);
		if (p[3].revents)
			supervisor_take_signals(s);
		if (p[0].revents && s->in_fd == p[0].fd && s->in_fd >= 0)
			host_read(s);
		if (p[2].revents)
			host_accept(s);
	}
	free(p);
	calls_check(s);
	results_pump(s);
	if (!host_write(s))
		host_cut(s);
	workers_retire(s);
}

static bool any_alive(const struct supervisor *s)
{
	for (const struct worker_proc *w = s->children; w; w = w->next)
		if (w->pid)
			return true;
	return false;
}

/* Workers get some time to close their instances; then all processes are killed. */
static void end_all(struct supervisor *s)
{
	int64_t until = clock_ms() + CLOSE_MS;
	struct pollfd p = { .fd = s->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;

	for (struct worker_proc *w = s->children; w; w = w->next)
		if (w->pid)
			worker_proc_close(w);
	while (any_alive(s) && clock_ms() < until) {
		poll(&p, 1, (int)(until - clock_ms()) + 1);
		while (read(s->signal_fd, &info, sizeof info) == sizeof info)
			;
		workers_reap(s);
	}
	for (struct worker_proc *w = s->children; w; w = w->next)
		if (w->pid)
			kill(w->pid, SIGKILL);
	process_tree_end(END_MS);
	supervisor_check_files(s);
}

static int supervisor_watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void supervisor_release(struct supervisor *s)
{
	while (s->calls)
		call_drop(s, s->calls);
	for (struct worker_proc *w = s->children; w; w = w->next)
		w->pid = 0;
	workers_reap(s);
	if (s->spec.socket)
		unlink(s->spec.socket);
	spec_clear(&s->spec);
	sandbox_clear(&s->sandbox);
	if (s->proxy_listener >= 0)
		close(s->proxy_listener);
	file_guard_clear(&s->guard);
	jsonl_done(&s->reports);
	free(s->temporary);
	strbuf_clear(&s->out);
	jsonl_done(&s->in);
}

int supervisor_run(char *private_dir, struct limit_group *group)
{
	struct supervisor s = { .in_fd = -1, .out_fd = -1, .listen_fd = -1,
				.private_dir = private_dir, .started = time(NULL),
				.sandbox = SANDBOX_NONE, .reports_fd = -1, .proxy_listener = -1,
				.watch = { .group = group } };
	int in, out;

	s.signal_fd = supervisor_watch_signals();
	/* Move them away from 0 and 1, so that stray output is discarded. */
	in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s.signal_fd < 0 || in < 0 || out < 0)
		return 1;
	host_join(&s, in, out);
	while (!s.ending)
		loop_iteration(&s);
	host_write(&s);
	end_all(&s);
	dir_remove(private_dir, NULL);
	limit_release(&s);
	supervisor_release(&s);
	return 0;
}
