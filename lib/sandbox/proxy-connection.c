/* SPDX-License-Identifier: MIT
 *
 * proxy-connection.c - a connection to the network proxy: its states, its input and
 * output, and relaying. */
#include "sandbox/proxy-connection.h"

#include "clock.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

struct proxy_connection *proxy_connection_open(struct proxy *p, int client)
{
	struct proxy_connection *c = calloc(1, sizeof *c);
	int on = 1;

	if (!c) {
		close(client);
		return NULL;
	}
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	c->proxy = p;
	c->client = client;
	c->server = -1;
	/* Twice: a buffer that is full also takes the head that the proxy writes. */
	c->up = (struct proxy_way){ .in = STRBUF(2 * PROXY_BUFFER_MAX),
				    .out = STRBUF(4 * PROXY_BUFFER_MAX) };
	c->down = c->up;
	c->request.head = STRBUF(1);
	proxy_enter(c, PROXY_HEAD, p->rules->head_ms);
	return c;
}

void proxy_connection_close(struct proxy_connection *c)
{
	proxy_lookup_end(&c->lookup);
	if (c->server >= 0)
		close(c->server);
	close(c->client);
	strbuf_clear(&c->up.in);
	strbuf_clear(&c->up.out);
	strbuf_clear(&c->down.in);
	strbuf_clear(&c->down.out);
	strbuf_clear(&c->request.head);
	free(c);
}

/* ---- relaying -------------------------------------------------------------------- */

static void proxy_pass(struct proxy_way *w, size_t n)
{
	if (!w->shut)
		strbuf_addn(&w->out, w->in.text, n);
	strbuf_consume(&w->in, n);
}

/* @return false if the body is malformed */
static bool proxy_pass_body(struct proxy_connection *c)
{
	ssize_t n = proxy_body_take(&c->request.body, c->up.in.text, c->up.in.len);

	if (n < 0)
		return false;
	proxy_pass(&c->up, (size_t)n);
	if (c->request.body.done)
		strbuf_reset(&c->up.in);
	return true;
}

static void proxy_pass_response(struct proxy_connection *c)
{
	struct strbuf *in = &c->down.in;
	char room[300];

	while (!c->answered) {
		size_t n = proxy_head_length(in->text, in->len);
		int status;

		if (!n && !c->down.eof && in->len < PROXY_HEAD_MAX)
			return;
		status = n ? proxy_response_head(in->text, n, &c->down.out) : -1;
		strbuf_consume(in, n);
		/* 101 would change the protocol; the proxy does not forward Upgrade. */
		if (status < 0 || status == 101) {
			proxy_refuse(c, 502,
				     "Host %s did not send a valid HTTP/1 response.",
				     proxy_shown_host(c, room));
			return;
		}
		c->answered = status >= 200;
	}
	proxy_pass(&c->down, in->len);
}

/* @return false if the connection has ended */
static bool proxy_relay(struct proxy_connection *c)
{
	if (c->request.is_connect) {
		proxy_pass(&c->up, c->up.in.len);
		proxy_pass(&c->down, c->down.in.len);
		return true;
	}
	/* A client that ends its side of a plain request has given up. */
	if (c->up.eof || !proxy_pass_body(c))
		return false;
	proxy_pass_response(c);
	return true;
}

/* ---- input and output ------------------------------------------------------------ */

static size_t proxy_room(const struct proxy_way *w)
{
	size_t used = w->in.len + w->out.len;

	return used < PROXY_BUFFER_MAX ? PROXY_BUFFER_MAX - used : 0;
}

static bool proxy_reads_client(const struct proxy_connection *c)
{
	return !c->up.eof && proxy_room(&c->up) &&
	       (c->state == PROXY_HEAD || c->state >= PROXY_HELLO);
}

static bool proxy_reads_server(const struct proxy_connection *c)
{
	return !c->down.eof && proxy_room(&c->down) &&
	       (c->state == PROXY_RELAY || c->state == PROXY_TUNNEL ||
		(c->state == PROXY_HELLO && c->any_protocol));
}

int64_t proxy_connection_idle_since(const struct proxy_connection *c)
{
	return c->state == PROXY_RELAY || (c->state == PROXY_HELLO && c->any_protocol)
		       ? c->deadline - c->proxy->rules->idle_ms
		       : INT64_MAX;
}

int64_t proxy_connection_watch(const struct proxy_connection *c, struct pollfd poll[2])
{
	int client =
		(proxy_reads_client(c) ? POLLIN : 0) | (c->down.out.len ? POLLOUT : 0);
	int server = (proxy_reads_server(c) ? POLLIN : 0) |
		     (c->up.out.len || c->state == PROXY_CONNECT ? POLLOUT : 0);

	/* Without events, poll would still return when the peer has closed. */
	poll[0] =
		(struct pollfd){ .fd = client ? c->client : -1, .events = (short)client };
	poll[1] =
		(struct pollfd){ .fd = server ? c->server : -1, .events = (short)server };
	if (c->state == PROXY_LOOKUP)
		poll[1] = (struct pollfd){ .fd = c->lookup.fd, .events = POLLIN };
	return c->deadline;
}

/* Receive what there is room for. @return false after an error */
static bool proxy_receive(struct proxy_connection *c, int fd, struct proxy_way *w)
{
	static char buffer[PROXY_BUFFER_MAX];
	ssize_t n = recv(fd, buffer, proxy_room(w), 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	w->eof = n == 0;
	/* A client that sends more than its request does not keep the connection open. */
	if (c->state == PROXY_RELAY ? w == &c->down || !c->request.body.done
				    : c->state == PROXY_HELLO && w == &c->down)
		proxy_enter(c, c->state, c->proxy->rules->idle_ms);
	if (c->state != PROXY_LINGER)
		strbuf_addn(&w->in, buffer, (size_t)n);
	return true;
}

/* Send what the receiver takes. @return false after an error */
static bool proxy_send(struct proxy_connection *c, int fd, struct proxy_way *w)
{
	ssize_t n;

	if (fd < 0 || !w->out.len)
		return true;
	n = send(fd, w->out.text, w->out.len, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	strbuf_consume(&w->out, (size_t)n);
	if (c->state == PROXY_RELAY)
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
	return true;
}

static void proxy_shut(struct proxy_way *w, int fd)
{
	if (!w->in.len && !w->out.len && !w->shut) {
		shutdown(fd, SHUT_WR);
		w->shut = true;
	}
}

/* @return false if the connection has ended */
static bool proxy_receive_both(struct proxy_connection *c, const struct pollfd poll[2])
{
	if (poll[0].revents && proxy_reads_client(c) &&
	    !proxy_receive(c, c->client, &c->up))
		return false;
	/* A reset ends what the server sends. */
	if (poll[1].revents && proxy_reads_server(c) &&
	    !proxy_receive(c, c->server, &c->down))
		c->down.eof = true;
	return !(c->state == PROXY_LINGER && c->up.eof);
}

/* Send, and pass on the ends of streams. @return false if the connection has ended */
static bool proxy_send_both(struct proxy_connection *c)
{
	bool is_tunnel = c->request.is_connect &&
			 (c->state == PROXY_RELAY || c->state == PROXY_HELLO);

	if (!proxy_send(c, c->client, &c->down))
		return false;
	if (!proxy_send(c, c->server, &c->up)) {
		/* The server may have sent a response before it closed. */
		strbuf_reset(&c->up.out);
		c->up.shut = c->request.body.done = true;
	}
	if (is_tunnel && c->up.eof)
		proxy_shut(&c->up, c->server);
	if (c->state == PROXY_RELAY && !is_tunnel && c->down.eof && !c->down.out.len)
		proxy_linger(c);
	if ((is_tunnel && c->down.eof) || c->state == PROXY_LINGER)
		proxy_shut(&c->down, c->client);
	return !(is_tunnel && c->up.shut && c->down.shut);
}

static void proxy_time_out(struct proxy_connection *c)
{
	char room[300];

	if (c->state == PROXY_CONNECT) {
		c->error = ETIMEDOUT;
		proxy_connect_next(c);
	} else if (c->state == PROXY_LOOKUP) {
		proxy_refuse(c, 504, "Cannot resolve host %s: the lookup timed out.",
			     c->via ? c->via->host.text : c->request.host.text);
	} else {
		proxy_refuse(c, 504,
			     "The proxy of the environment did not connect to the "
			     "host %s in time.",
			     proxy_shown_host(c, room));
	}
}

static bool proxy_advance(struct proxy_connection *c, bool server_ready)
{
	switch (c->state) {
	case PROXY_HEAD:
		proxy_read_head(c);
		return !(c->state == PROXY_HEAD && c->up.eof);
	case PROXY_LOOKUP:
		if (server_ready)
			proxy_take_lookup(c);
		return true;
	case PROXY_CONNECT:
		if (server_ready)
			proxy_take_connect(c);
		return true;
	case PROXY_TUNNEL:
		proxy_read_tunnel(c);
		return true;
	case PROXY_HELLO:
		if (c->any_protocol)
			proxy_pass(&c->down, c->down.in.len);
		proxy_read_hello(c);
		if (c->state != PROXY_HELLO || !c->up.eof)
			return true;
		/* Nothing more follows that could ask for another server. */
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
		return c->any_protocol;
	case PROXY_RELAY:
		return proxy_relay(c);
	default:
		return true;
	}
}

bool proxy_connection_step(struct proxy_connection *c, const struct pollfd poll[2])
{
	bool server_ready = poll[1].revents != 0;
	enum proxy_state state;

	if (clock_ms() >= c->deadline) {
		if (c->state != PROXY_LOOKUP && c->state != PROXY_CONNECT &&
		    c->state != PROXY_TUNNEL)
			return false;
		proxy_time_out(c);
		server_ready = false; /* the descriptor is another one */
	} else if (!proxy_receive_both(c, poll)) {
		return false;
	}
	do {
		state = c->state;
		if (!proxy_advance(c, server_ready))
			return false;
		server_ready = false;
	} while (c->state != state);
	return proxy_send_both(c) && !c->up.in.error && !c->up.out.error &&
	       !c->down.in.error && !c->down.out.error;
}
