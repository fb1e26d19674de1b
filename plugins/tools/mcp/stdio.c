/* SPDX-License-Identifier: MIT
 *
 * stdio.c - a server that is a local program: one thread writes to it, reads its
 * output and detects its exit. */
#include "client.h"
#include "child.h"
#include "clock.h"
#include "jsonl.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	QUEUE_MAX = 32 << 20,  /* bytes queued for a server that does not read */
	LOG_LINES = 100,       /* of its standard error output, per minute */
};

struct process {
	struct client *client;
	pthread_t thread;
	pid_t pid;
	int pid_fd, in, out, err, wake_fd; /* ours; -1: closed */
	pthread_mutex_t lock;
	struct strbuf queue;       /* under the lock */
	bool stopping;             /* under the lock */
	struct jsonl lines;
	struct strbuf log_line;
	int64_t log_minute;
	unsigned logged;
};

/* ---- its standard error output ------------------------------------------- */

static void mcp_stdio_log_line(struct process *p)
{
	struct client *c = p->client;
	size_t len = utf8_cut(p->log_line.text, p->log_line.len, 500);

	if (clock_ms() - p->log_minute > 60000) {
		p->log_minute = clock_ms();
		p->logged = 0;
	}
	pthread_mutex_lock(&c->lock);
	snprintf(c->tail, sizeof c->tail, "%.*s", (int)len, p->log_line.text);
	pthread_mutex_unlock(&c->lock);
	if (p->logged++ < LOG_LINES)
		client_log(c, MT_LOG_INFO, "%.*s%s", (int)len, p->log_line.text,
			   p->logged == LOG_LINES ? " (further lines are omitted)" : "");
}

static void mcp_stdio_take_log(struct process *p, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if ((unsigned char)bytes[i] >= ' ' && p->log_line.len < 4000)
				strbuf_addc(&p->log_line, bytes[i]);
		} else if (p->log_line.len) {
			mcp_stdio_log_line(p);
			strbuf_reset(&p->log_line);
		}
	}
}

/* ---- its thread ------------------------------------------------------------ */

static int stdio_on_line(char *line, size_t len, void *arg)
{
	struct process *p = arg;

	if (len)
		mcp_client_deliver(p->client, line, len);
	return MT_OK;
}

static void mcp_stdio_shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* @return false at end of file. */
static bool take_bytes(struct process *p, int *fd)
{
	char bytes[65536];
	ssize_t n = read(*fd, bytes, sizeof bytes);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	if (fd == &p->err) {
		mcp_stdio_take_log(p, bytes, (size_t)n);
	} else if (jsonl_feed(&p->lines, bytes, (size_t)n)) {
		client_down(p->client, "the server sent a message of more than %d MiB",
			    MCP_MESSAGE_MAX >> 20);
		return false;
	}
	return true;
}

static void write_queue(struct process *p)
{
	ssize_t n;

	pthread_mutex_lock(&p->lock);
	n = write(p->in, p->queue.text, p->queue.len);
	if (n > 0)
		strbuf_consume(&p->queue, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		strbuf_reset(&p->queue); /* its exit will be detected */
	pthread_mutex_unlock(&p->lock);
}

/* Terminate the server and its child processes, gently first. */
static int mcp_stdio_end_process(struct process *p)
{
	int status;

	mcp_stdio_shut(&p->in);
	status = child_end(p->pid, p->pid_fd);
	p->pid = 0;
	return status;
}

static void mcp_stdio_tell_end(struct process *p, int status)
{
	struct client *c = p->client;
	char tail[MCP_TAIL_MAX], how[64];

	pthread_mutex_lock(&c->lock);
	memcpy(tail, c->tail, sizeof tail);
	pthread_mutex_unlock(&c->lock);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof how, "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
	client_down(c, "the server %s%s%.300s", how, *tail ? ": " : "", tail);
}

static bool stops(struct process *p, bool *ret_writes)
{
	bool stop;

	pthread_mutex_lock(&p->lock);
	stop = p->stopping;
	*ret_writes = p->queue.len > 0;
	pthread_mutex_unlock(&p->lock);
	return stop;
}

/* Read the remaining output after its exit. */
static void mcp_stdio_drain(struct process *p)
{
	for (int i = 0; i < 64; i++) {
		struct pollfd out = { .fd = p->out, .events = POLLIN };

		if (p->out < 0 || poll(&out, 1, 0) <= 0 || !take_bytes(p, &p->out))
			break;
	}
	for (int i = 0; i < 16; i++) {
		struct pollfd err = { .fd = p->err, .events = POLLIN };

		if (p->err < 0 || poll(&err, 1, 0) <= 0 || !take_bytes(p, &p->err))
			break;
	}
	if (p->log_line.len)
		mcp_stdio_log_line(p);
}

static void *process_thread(void *arg)
{
	struct process *p = arg;
	bool writes, alive = true;

	while (alive && !stops(p, &writes)) {
		struct pollfd f[] = {
			{ .fd = p->wake_fd, .events = POLLIN },
			{ .fd = p->out, .events = POLLIN },
			{ .fd = p->err, .events = POLLIN },
			{ .fd = p->pid_fd, .events = POLLIN },
			{ .fd = writes ? p->in : -1, .events = POLLOUT },
		};
		eventfd_t ignored;

		if (poll(f, ARRAY_LEN(f), (int)serve_check_changes(p->client, false)) < 0)
			continue;
		if (f[0].revents)
			eventfd_read(p->wake_fd, &ignored);
		if (f[4].revents)
			write_queue(p);
		if (f[2].revents && !take_bytes(p, &p->err))
			mcp_stdio_shut(&p->err);
		if (f[1].revents)
			alive = take_bytes(p, &p->out);
		else if (f[3].revents)
			alive = false;
	}
	if (alive) {
		write_queue(p); /* the last message may cancel a call */
		mcp_stdio_end_process(p);
	} else {
		int status;

		mcp_stdio_drain(p);
		status = mcp_stdio_end_process(p);
		mcp_stdio_drain(p);
		mcp_stdio_tell_end(p, status);
	}
	return NULL;
}

/* ---- start and stop ---------------------------------------------------------- */

static int nonblocking(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int stdio_spawn(struct client *c, const int in[2], const int out[2],
		       const int err[2], pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int status;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_adddup2(&actions, err[1], 2);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	if (c->config.directory)
		posix_spawn_file_actions_addchdir_np(&actions, c->config.directory);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
						      POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	status = posix_spawnp(ret, c->config.argv[0], &actions, &attributes,
			      c->config.argv, c->config.env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return status;
}

static void process_free(struct process *p)
{
	mcp_stdio_shut(&p->in);
	mcp_stdio_shut(&p->out);
	mcp_stdio_shut(&p->err);
	mcp_stdio_shut(&p->pid_fd);
	mcp_stdio_shut(&p->wake_fd);
	strbuf_clear(&p->queue);
	strbuf_clear(&p->log_line);
	jsonl_done(&p->lines);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct process *process_new(struct client *c)
{
	struct process *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	*p = (struct process){ .client = c, .in = -1, .out = -1, .err = -1, .pid_fd = -1,
			       .queue = STRBUF(QUEUE_MAX), .log_line = STRBUF(4096),
			       .log_minute = clock_ms() };
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&p->lock, NULL);
	jsonl_init(&p->lines, MCP_MESSAGE_MAX, stdio_on_line, p);
	return p;
}

static int mcp_stdio_launch(struct client *c, struct process *p, struct error *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, log[2] = { -1, -1 };
	int status = MT_OK, code;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(log, O_CLOEXEC))
		status = fail(err, MT_EIO, "cannot create a pipe: %s", strerror(errno));
	if (!status) {
		code = stdio_spawn(c, in, out, log, &p->pid);
		if (code)
			status = fail(err, MT_EIO, "cannot start `%s`: %s",
				      c->config.argv[0], strerror(code));
	}
	mcp_stdio_shut(&in[0]);
	mcp_stdio_shut(&out[1]);
	mcp_stdio_shut(&log[1]);
	p->in = in[1];
	p->out = out[0];
	p->err = log[0];
	if (status)
		return status;
	p->pid_fd = pidfd_open(p->pid, 0);
	nonblocking(p->in);
	nonblocking(p->out);
	nonblocking(p->err);
	return MT_OK;
}

static int stdio_start(struct client *c, const struct waiter *w, struct error *err)
{
	struct process *p = process_new(c);
	sigset_t all, before;
	int status = p ? mcp_stdio_launch(c, p, err) : out_of_memory(err);

	(void)w;
	if (status) {
		if (p)
			process_free(p);
		return status;
	}
	pthread_mutex_lock(&c->lock);
	c->tail[0] = '\0';
	pthread_mutex_unlock(&c->lock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&p->thread, NULL, process_thread, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status) {
		mcp_stdio_end_process(p);
		process_free(p);
		return fail(err, MT_ENOMEM, "cannot create a thread");
	}
	pthread_mutex_lock(&c->link_lock);
	c->link = p;
	pthread_mutex_unlock(&c->link_lock);
	return MT_OK;
}

/* Called with the lock of the link held. */
static int enqueue(struct process *p, const char *text, size_t len)
{
	int status;

	pthread_mutex_lock(&p->lock);
	status = strbuf_reserve(&p->queue, len + 2);
	if (!status)
		status = strbuf_addn(&p->queue, text, len);
	if (!status)
		status = strbuf_addc(&p->queue, '\n');
	if (status)
		p->stopping = true;
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->wake_fd, 1);
	return status;
}

static int stdio_send(struct client *c, const char *text, size_t len,
		      struct pending *pending, struct error *err)
{
	int status = MT_EIO;

	(void)pending;
	pthread_mutex_lock(&c->link_lock);
	if (c->link)
		status = enqueue(c->link, text, len);
	pthread_mutex_unlock(&c->link_lock);
	if (status == MT_EIO)
		return fail(err, MT_EIO, "the server is not running");
	if (!status)
		return MT_OK;
	client_down(c, "the server does not read its input");
	return fail(err, MT_EIO, "the server does not read its input");
}

/* The server responds when it ends the stream; that response is not awaited. */
static void stdio_ready(struct client *c)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	if (version_subscribes(c) && !version_subscription(c, &b))
		stdio_send(c, b.text, b.len, NULL, NULL);
}

static void stdio_stop(struct client *c)
{
	struct process *p;

	pthread_mutex_lock(&c->link_lock);
	p = c->link;
	c->link = NULL;
	pthread_mutex_unlock(&c->link_lock);
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->wake_fd, 1);
	pthread_join(p->thread, NULL);
	process_free(p);
}

const struct transport stdio_transport = {
	.start = stdio_start,
	.send = stdio_send,
	.ready = stdio_ready,
	.stop = stdio_stop,
};
