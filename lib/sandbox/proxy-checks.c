/* SPDX-License-Identifier: MIT
 *
 * proxy-checks.c - checks requests and the beginnings of tunnels by the rules. */
#include "sandbox/proxy-connection.h"

#include "sandbox/tls-hello.h"

#include <string.h>

/* Find the rule for the request. */
static bool proxy_is_allowed(struct proxy_connection *c)
{
	const struct network_proxy_rules *rules = c->proxy->rules;
	bool allowed = false;

	for (size_t i = 0; i < rules->count; i++) {
		const struct host_pattern *p = &rules->hosts[i];

		if (!host_pattern_matches(p, &c->request.host, c->request.port))
			continue;
		allowed = true;
		c->any_protocol |= p->port && p->port != HTTPS_PORT;
	}
	return allowed;
}

static void proxy_start(struct proxy_connection *c)
{
	uint16_t port = c->request.port;
	bool usual = port == HTTP_PORT || port == HTTPS_PORT;
	const struct host *host = &c->request.host;
	char shown[300], pattern[300];

	if (proxy_is_allowed(c))
		proxy_look_up(c);
	else
		proxy_refuse(c, 403,
			     "Host %s is not allowed by the sandbox; allow it with "
			     "`hosts += %s` in [sandbox].",
			     proxy_shown_host(c, shown),
			     proxy_pattern(host->text, usual ? 0 : port, pattern));
}

/* The proxy of the environment for a request. The request must be known to choose it, and
 * it must be chosen to write the head: the first word of the head decides. */
static const struct proxy_upstream *proxy_choose(const struct proxy_connection *c)
{
	bool is_connect = strncasecmp(c->up.in.text, "CONNECT ", 8) == 0;
	const struct proxy_upstream *u =
		is_connect ? &c->proxy->tunnel : &c->proxy->plain;

	return *u->host.text ? u : NULL;
}

void proxy_read_head(struct proxy_connection *c)
{
	size_t n = proxy_head_length(c->up.in.text, c->up.in.len);
	struct error err = ERROR_NONE;
	int status;

	if (!n) {
		if (c->up.in.len >= PROXY_HEAD_MAX)
			proxy_answer(c, 431, "The head of the request exceeds 64 KiB.");
		return;
	}
	c->via = proxy_choose(c);
	status = proxy_request_parse(c->up.in.text, n, c->via ? c->via->header : NULL,
				     &c->request, &err);
	if (!status && c->via && proxy_upstream_is_bypassed(&c->request.host)) {
		c->via = NULL;
		strbuf_clear(&c->request.head);
		status = proxy_request_parse(c->up.in.text, n, NULL, &c->request, &err);
	}
	strbuf_consume(&c->up.in, n);
	if (status)
		proxy_answer(c, status == MT_EINVAL ? 400 : 502, err.text);
	else
		proxy_start(c);
}

/* A server name must be that of CONNECT. A client that connects to an address sends none. */
static void proxy_check_name(struct proxy_connection *c, const char *name)
{
	const struct host *host = &c->request.host;
	struct host named;
	uint16_t port;

	if (!*name && host->is_address) {
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
	} else if (!*name) {
		proxy_refuse_tunnel(c, true,
				    "The TLS connection to the host %s does not name its "
				    "server (SNI), so the sandbox refuses it.",
				    host->text);
	} else if (host_parse(name, strlen(name), &named, &port) || port) {
		proxy_refuse_tunnel(c, true,
				    "The TLS connection to the host %s names an invalid "
				    "server (SNI), so the sandbox refuses it.",
				    host->text);
	} else if (strcmp(named.text, host->text) != 0) {
		proxy_refuse_tunnel(
			c, true,
			"The TLS connection to the host %s names another server, "
			"%s, so the sandbox refuses it.",
			host->text, named.text);
	} else {
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
	}
}

/* The tunnel does not begin with TLS. */
static void proxy_check_protocol(struct proxy_connection *c)
{
	const char *host = c->request.host.text;
	uint16_t port = c->request.port;
	char pattern[300];

	if (c->any_protocol)
		proxy_enter(c, PROXY_RELAY, c->proxy->rules->idle_ms);
	else if (port == HTTPS_PORT)
		proxy_refuse_tunnel(
			c, false,
			"The connection to the host %s port %u does not use TLS, so "
			"the sandbox refuses it.",
			host, port);
	else
		proxy_refuse_tunnel(
			c, false,
			"The connection to the host %s port %u does not use TLS, so "
			"the sandbox refuses it; allow other protocols with "
			"`hosts += %s` in [sandbox].",
			host, port, proxy_pattern(host, port, pattern));
}

void proxy_read_hello(struct proxy_connection *c)
{
	char name[HOST_ROOM];

	switch (tls_hello_read(c->up.in.text, c->up.in.len, name)) {
	case TLS_READ:
		proxy_check_name(c, name);
		break;
	case TLS_INVALID:
		proxy_refuse_tunnel(c, true,
				    "The TLS connection to the host %s starts with a "
				    "malformed ClientHello, so the sandbox refuses it.",
				    c->request.host.text);
		break;
	case TLS_NONE:
		proxy_check_protocol(c);
		break;
	case TLS_MORE:
		break;
	}
}
