/* SPDX-License-Identifier: MIT
 *
 * server.c - listens on the socket of a conversation and manages its clients. */
#include "frontends/server.h"

#include "frontends/transport.h"
#include "frontends/socket-dir.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { BACKLOG = 16, STALL_MS = 1000, TICKS_MAX = 30 };

struct server_client {
	struct server *server;
	struct transport *channel; /* NULL: a free slot */
	uint64_t written;        /* at the last tick during shutdown */
};

struct server {
	struct conversation *c;
	struct server_options o;
	struct socket_file place;
	int listening, spare;
	uv_poll_t poll;
	uv_timer_t timer; /* only during shutdown */
	int ticks;
	struct server_client clients[SERVER_CLIENTS_MAX];
	size_t count;
	bool ending, closing;
	unsigned open;
	void (*done)(void *arg);
	void *done_arg;
};

/* ---- shutdown ---------------------------------------------------------- */

static void frontend_server_on_closed(uv_handle_t *handle)
{
	struct server *s = handle->data;

	if (--s->open > 0)
		return;
	auto_close(&s->listening);
	auto_close(&s->spare);
	socket_dir_remove(&s->place);
	if (s->done)
		s->done(s->done_arg);
	free(s);
}

static void close_handles(struct server *s)
{
	if (s->closing)
		return;
	s->closing = true;
	uv_close((uv_handle_t *)&s->poll, frontend_server_on_closed);
	uv_close((uv_handle_t *)&s->timer, frontend_server_on_closed);
}

/* Disconnect clients that have read nothing since the last tick. */
static void on_tick(uv_timer_t *timer)
{
	struct server *s = timer->data;

	s->ticks++;
	for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
		struct server_client *k = &s->clients[i];

		if (!k->channel)
			continue;
		if (transport_written(k->channel) == k->written || s->ticks >= TICKS_MAX)
			transport_close(k->channel);
		else
			k->written = transport_written(k->channel);
	}
}

void server_end(struct server *s, int exit_code, void (*done)(void *arg), void *arg)
{
	s->ending = true;
	s->done = done;
	s->done_arg = arg;
	server_unlink(s);
	uv_poll_stop(&s->poll);
	for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
		if (s->clients[i].channel) {
			s->clients[i].written = transport_written(s->clients[i].channel);
			transport_end(s->clients[i].channel, exit_code);
		}
	if (s->count == 0)
		close_handles(s);
	else
		uv_timer_start(&s->timer, on_tick, STALL_MS, STALL_MS);
}

void server_unlink(struct server *s)
{
	socket_dir_remove(&s->place);
}

/* ---- clients ----------------------------------------------------------- */

static void on_client_closed(void *arg)
{
	struct server_client *k = arg;
	struct server *s = k->server;

	k->channel = NULL;
	s->count--;
	if (s->ending && s->count == 0)
		close_handles(s);
	else if (s->o.changed)
		s->o.changed(s->o.arg);
}

static void on_client_stopped(void *arg)
{
	struct server_client *k = arg;

	if (k->server->o.stopped)
		k->server->o.stopped(k->server->o.arg);
}

static void on_client_keep(void *arg)
{
	struct server_client *k = arg;

	if (k->server->o.keep)
		k->server->o.keep(k->server->o.arg);
}

static void server_refuse(int fd, const char *why)
{
	AUTO(strbuf) struct strbuf line = STRBUF(1024);

	strbuf_addc(&line, '{');
	js_key_str(&line, "type", "notice");
	js_key_str(&line, "level", "error");
	js_key_str(&line, "text", why);
	if (!strbuf_add(&line, "}\n"))
		send(fd, line.text, line.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

/* The reason to reject a client; NULL: none. */
static const char *refusal(struct server *s, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
	    peer.uid != geteuid())
		return "this conversation belongs to another user";
	if (socket_dir_descends(peer.pid, conversation_runner_pid(s->c)))
		return "a tool cannot drive the conversation that runs it";
	if (s->count == SERVER_CLIENTS_MAX)
		return "this conversation already has 16 clients";
	return NULL;
}

static void welcome(struct server *s, int fd)
{
	struct transport_options o = {
		.session = { .from = -1 },
		.hold = s->o.hold,
		.both = true,
		.stopped = on_client_stopped,
		.keep = on_client_keep,
		.closed = on_client_closed,
	};
	struct error err = ERROR_NONE;
	struct server_client *k = s->clients;
	const char *why = refusal(s, fd);

	if (why) {
		server_refuse(fd, why);
		return;
	}
	while (k->channel)
		k++;
	o.arg = k;
	if (transport_open(s->poll.loop, s->c, fd, fd, &o, &k->channel, &err)) {
		k->channel = NULL;
		log_line(MT_LOG_WARNING, "socket", "rejected a client: %s", err.text);
		return;
	}
	s->count++;
	transport_start(k->channel);
	if (s->o.changed)
		s->o.changed(s->o.arg);
}

/* Without free descriptors, the waiting client would wake the loop repeatedly. */
static void turn_away(struct server *s)
{
	int fd;

	auto_close(&s->spare);
	fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		server_refuse(fd, "this conversation has no free file descriptors");
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
	struct server *s = poll->data;
	int fd;

	(void)status, (void)events;
	fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		welcome(s, fd);
	else if (errno == EMFILE || errno == ENFILE)
		turn_away(s);
}

/* ---- opening ----------------------------------------------------------- */

int server_open(uv_loop_t *loop, struct conversation *c, const struct server_options *o,
		struct server **ret, struct error *err)
{
	struct server *s = calloc(1, sizeof *s);
	int r;

	if (!s)
		return out_of_memory(err);
	s->c = c;
	s->o = *o;
	for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
		s->clients[i].server = s;
	r = socket_dir_listen(conversation_id(c), BACKLOG, &s->place, &s->listening, err);
	if (r) {
		free(s);
		return r;
	}
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	s->poll.data = s->timer.data = s;
	s->open = 2;
	uv_timer_init(loop, &s->timer);
	uv_poll_init(loop, &s->poll, s->listening);
	uv_poll_start(&s->poll, UV_READABLE, on_connection);
	if (!o->hold)
		uv_unref((uv_handle_t *)&s->poll);
	*ret = s;
	return MT_OK;
}

size_t server_clients(const struct server *s)
{
	return s->count;
}
