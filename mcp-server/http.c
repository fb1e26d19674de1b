/* SPDX-License-Identifier: MIT
 *
 * http.c - serves MCP over streamable HTTP (`mortise tools serve --http`). Each
 * response is one JSON document, or an event stream if the tool reports progress.
 * Only localhost is served, unless a token is required. */
#include "http.h"

#include <ctype.h>
#include <string.h>

/* "[HOST:]PORT" */
static int read_address(const char *text, struct sockaddr_storage *ret, bool *ret_local,
			struct error *err)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	AUTO(free)
	char *host = colon ? strndup(text, (size_t)(colon - text)) : strdup("localhost");
	char *end = NULL;
	unsigned long number =
		isdigit((unsigned char)*port) ? strtoul(port, &end, 10) : 0;
	int bad;

	if (!host)
		return out_of_memory(err);
	if (!end || *end || number > 65535)
		return fail(err, MT_EINVAL,
			    "invalid address `%.80s`: use PORT or "
			    "HOST:PORT",
			    text);
	*ret_local = http_is_local(host);
	if (strcasecmp(host, "localhost") == 0)
		bad = uv_ip4_addr("127.0.0.1", (int)number, (struct sockaddr_in *)ret);
	else if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		bad = uv_ip6_addr(host + 1, (int)number, (struct sockaddr_in6 *)ret);
	} else
		bad = uv_ip4_addr(host, (int)number, (struct sockaddr_in *)ret);
	return bad ? fail(err, MT_EINVAL,
			  "invalid host `%.80s`: use an IP address or "
			  "localhost",
			  host)
		   : MT_OK;
}

static int check_options(const struct mcp_http_options *o, bool local, struct error *err)
{
	if (!o->open && (!o->token || !*o->token))
		return fail(err, MT_EINVAL,
			    "--http requires a token, because clients can run commands; "
			    "set %s to at least %d characters, or allow every local "
			    "program with --no-token",
			    o->token_env, TOKEN_MIN);
	if (!o->open && strlen(o->token) < TOKEN_MIN)
		return fail(err, MT_EINVAL,
			    "the token in %s is too short: use at least %d "
			    "characters",
			    o->token_env, TOKEN_MIN);
	if (o->open && !local)
		return fail(err, MT_EINVAL,
			    "--no-token is allowed only on localhost, "
			    "and `%.80s` is reachable from other hosts",
			    o->address);
	return MT_OK;
}

static void tell_address(const struct mcp_http *w, const char *given)
{
	struct sockaddr_storage at;
	int len = sizeof at, port;
	const char *colon = strrchr(given, ':');

	uv_tcp_getsockname(&w->tcp, (struct sockaddr *)&at, &len);
	port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
					      : ((struct sockaddr_in *)&at)->sin_port);
	fprintf(stderr, "mortise: listening on http://%.*s:%d/mcp\n",
		colon ? (int)(colon - given) : 9, colon ? given : "127.0.0.1", port);
}

int mcp_http_open(uv_loop_t *loop, struct mcp_server *s, const struct mcp_http_options *o,
		  struct mcp_http **ret, struct error *err)
{
	struct sockaddr_storage at = { 0 };
	struct mcp_http *w;
	bool local = false;
	int bad = read_address(o->address, &at, &local, err);

	if (bad || check_options(o, local, err))
		return err->code;
	w = calloc(1, sizeof *w);
	if (!w)
		return out_of_memory(err);
	*w = (struct mcp_http){ .serve = s,
				.loop = loop,
				.local = local,
				.token = o->open ? NULL : o->token };
	uv_tcp_init(loop, &w->tcp);
	uv_timer_init(loop, &w->sweep);
	w->tcp.data = w->sweep.data = w;
	bad = uv_tcp_bind(&w->tcp, (struct sockaddr *)&at, 0);
	if (!bad)
		bad = uv_listen((uv_stream_t *)&w->tcp, CONNECTIONS_MAX,
				http_on_connection);
	if (bad) {
		mcp_http_close(w);
		uv_run(loop, UV_RUN_NOWAIT);
		free(w);
		return fail(err, MT_EIO, "cannot listen on `%.80s`: %s", o->address,
			    uv_strerror(bad));
	}
	uv_timer_start(&w->sweep, http_on_sweep, SWEEP_MS, SWEEP_MS);
	tell_address(w, o->address);
	*ret = w;
	return MT_OK;
}

/* A message is sent to only one stream of a session. The list starts with the newest. */
static bool is_newest_stream(const struct mcp_http *w, const struct connection *stream)
{
	const struct connection *c = w->connections;

	while (c != stream &&
	       !(c->listens && !c->closing && strcmp(c->session, stream->session) == 0))
		c = c->next;
	return c == stream;
}

void mcp_http_notify(struct mcp_http *w, const char *session, struct strbuf *b)
{
	for (struct connection *c = w->connections; c; c = c->next)
		if (c->listens && (!session || strcmp(c->session, session) == 0) &&
		    is_newest_stream(w, c))
			http_send_message(&c->peer, b, false, 0);
}

void mcp_http_close(struct mcp_http *w)
{
	if (w->closed)
		return;
	w->closed = true;
	uv_close((uv_handle_t *)&w->tcp, NULL);
	uv_close((uv_handle_t *)&w->sweep, NULL);
	for (struct connection *c = w->connections; c; c = c->next)
		http_drop(c);
}

void mcp_http_free(struct mcp_http *w)
{
	for (size_t i = 0; w && i < SESSIONS_MAX; i++)
		json_object_put(w->sessions[i].known.capabilities);
	free(w);
}
