/* SPDX-License-Identifier: MIT
 *
 * proxy-connect.c - connects to the host of a request: lookup, addresses, upstream proxy. */
#include "sandbox/proxy-connection.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static void proxy_is_connected(struct proxy_connection *c);

void proxy_connect_next(struct proxy_connection *c)
{
	char room[300];

	if (c->server >= 0)
		close(c->server);
	c->server = -1;
	while (c->next < c->addresses.count) {
		const struct sockaddr_storage *a = &c->addresses.list[c->next++];
		socklen_t len = a->ss_family == AF_INET ? sizeof(struct sockaddr_in)
							: sizeof(struct sockaddr_in6);
		int on = 1;

		c->server = socket(a->ss_family,
				   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (c->server >= 0) {
			setsockopt(c->server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
			if (connect(c->server, (const struct sockaddr *)a, len) == 0) {
				proxy_is_connected(c);
				return;
			}
			if (errno == EINPROGRESS) {
				proxy_enter(c, PROXY_CONNECT,
					    c->proxy->rules->connect_ms);
				return;
			}
		}
		c->error = errno;
		if (c->server >= 0)
			close(c->server);
		c->server = -1;
	}
	proxy_refuse(c, c->error == ETIMEDOUT ? 504 : 502,
		     "Connecting to the host %s%s failed: %s.", proxy_shown_host(c, room),
		     c->via ? " through the proxy of the environment" : "",
		     strerror(c->error));
}

static void proxy_connect(struct proxy_connection *c)
{
	uint16_t port = c->via ? c->via->port : c->request.port;
	char shown[300], pattern[300];
	struct host refused = { 0 };

	if (!c->via)
		proxy_addresses_filter(&c->addresses, port, c->proxy->rules, &refused);
	if (!c->addresses.count) {
		proxy_refuse(c, 403,
			     "Host %s has the address %s, which is not public and "
			     "therefore not allowed by the sandbox; allow it with "
			     "`hosts += %s` in [sandbox].",
			     proxy_shown_host(c, shown), refused.text,
			     proxy_pattern(refused.text, port, pattern));
		return;
	}
	proxy_addresses_set_port(&c->addresses, port);
	proxy_connect_next(c);
}

void proxy_look_up(struct proxy_connection *c)
{
	const struct host *host = c->via ? &c->via->host : &c->request.host;

	if (host->is_address) {
		proxy_addresses_set(&c->addresses, host);
		proxy_connect(c);
	} else if (proxy_lookup_start(host, &c->lookup)) {
		proxy_refuse(c, 502,
			     "Cannot resolve host %s: the proxy of the sandbox "
			     "cannot start a process.",
			     host->text);
	} else {
		proxy_enter(c, PROXY_LOOKUP, c->proxy->rules->connect_ms);
	}
}

void proxy_take_lookup(struct proxy_connection *c)
{
	proxy_lookup_finish(&c->lookup, &c->addresses);
	if (c->addresses.error)
		proxy_refuse(c, 502, "Cannot resolve host %s: %s.",
			     c->via ? c->via->host.text : c->request.host.text,
			     gai_strerror(c->addresses.error));
	else
		proxy_connect(c);
}

/* The tunnel exists: look at the first bytes that the client sends through it. */
static void proxy_is_established(struct proxy_connection *c)
{
	strbuf_add(&c->down.out, "HTTP/1.1 200 Connection established\r\n\r\n");
	proxy_enter(c, PROXY_HELLO,
		    c->any_protocol ? c->proxy->rules->idle_ms
				    : c->proxy->rules->head_ms);
}

static void proxy_is_connected(struct proxy_connection *c)
{
	char room[300];

	if (!c->request.is_connect) {
		strbuf_addn(&c->up.out, c->request.head.text, c->request.head.len);
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
	} else if (c->via) {
		proxy_pattern(c->request.host.text, c->request.port, room);
		strbuf_addf(&c->up.out, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", room,
			    room, c->via->header);
		proxy_enter(c, PROXY_TUNNEL, c->proxy->rules->connect_ms);
	} else {
		proxy_is_established(c);
	}
}

void proxy_take_connect(struct proxy_connection *c)
{
	socklen_t len = sizeof c->error;

	if (getsockopt(c->server, SOL_SOCKET, SO_ERROR, &c->error, &len) < 0)
		c->error = errno;
	if (c->error)
		proxy_connect_next(c);
	else
		proxy_is_connected(c);
}

void proxy_read_tunnel(struct proxy_connection *c)
{
	AUTO(strbuf) struct strbuf scratch = STRBUF(2 * PROXY_HEAD_MAX);
	size_t n = proxy_head_length(c->down.in.text, c->down.in.len);
	char room[300];
	int status;

	if (!n && !c->down.eof && c->down.in.len < PROXY_BUFFER_MAX)
		return;
	status = n ? proxy_response_head(c->down.in.text, n, &scratch) : -1;
	if (status >= 200 && status < 300) {
		strbuf_consume(&c->down.in, n);
		proxy_is_established(c);
	} else {
		proxy_refuse(
			c, 502,
			"The proxy of the environment does not connect to the host %s: "
			"status %d.",
			proxy_shown_host(c, room), status > 0 ? status : 0);
	}
}
