/* SPDX-License-Identifier: MIT
 *
 * http-connection.c - reads HTTP requests from connections and writes responses. */
#include "http.h"
#include "space.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct writing {
	uv_write_t write;
	struct connection *c;
	bool close;
	char bytes[];
};

static void http_connection_handle(struct connection *c);

/* ---- connections ------------------------------------------------------------------ */

static void http_connection_on_closed(uv_handle_t *h)
{
	struct connection *c = h->data;
	struct mcp_http *w = c->web;

	for (struct connection **at = &w->connections; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	w->count--;
	strbuf_clear(&c->in);
	free(c);
}

void http_drop(struct connection *c)
{
	if (c->closing)
		return;
	c->closing = true;
	mcp_forget_client(c->web->serve, &c->peer);
	uv_close((uv_handle_t *)&c->tcp, http_connection_on_closed);
}

static void http_connection_on_written(uv_write_t *write, int status)
{
	struct writing *w = write->data;
	struct connection *c = w->c;
	bool close = w->close || status;

	free(w);
	if (close)
		http_drop(c);
}

static size_t unread(const struct connection *c)
{
	return uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp);
}

/* True if too many bytes would be pending for clients. */
static bool is_full(const struct connection *c, size_t more)
{
	size_t all = more;

	for (const struct connection *o = c->web->connections; o; o = o->next)
		all += unread(o);
	return unread(c) > OUT_MAX || all > OUT_ALL_MAX;
}

void http_put(struct connection *c, const struct strbuf *head, const char *body,
	      size_t len, bool close)
{
	size_t n = head->len + len;
	struct writing *w = head->error || is_full(c, n) ? NULL : malloc(sizeof *w + n);
	uv_buf_t buf;

	if (c->closing) {
		free(w);
		return;
	}
	if (!w) {
		http_drop(c);
		return;
	}
	memcpy(w->bytes, head->text, head->len);
	memcpy(w->bytes + head->len, body, len);
	w->c = c;
	w->close = close;
	w->write.data = w;
	buf = uv_buf_init(w->bytes, (unsigned)n);
	if (uv_write(&w->write, (uv_stream_t *)&c->tcp, &buf, 1,
		     http_connection_on_written)) {
		free(w);
		http_drop(c);
	}
}

/* ---- answers
 * ------------------------------------------------------------------------ */

static const char *words_of(int status)
{
	static const struct {
		int status;
		const char *words;
	} all[] = {
		{ 200, "OK" },
		{ 202, "Accepted" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 411, "Length Required" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 431, "Request Header Fields Too Large" },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i].status == status)
			return all[i].words;
	return "Error";
}

void http_done(struct connection *c)
{
	c->busy = c->streams = false;
	c->since = uv_now(c->web->loop);
	if (!c->handling)
		http_connection_handle(c);
}

void http_answer(struct connection *c, int status, const char *more, const char *type,
		 const char *body, size_t len)
{
	AUTO(strbuf) struct strbuf head = STRBUF(4096);

	strbuf_addf(&head,
		    "HTTP/1.1 %d %s\r\nCache-Control: no-store\r\n"
		    "Content-Length: %zu\r\n%s",
		    status, words_of(status), len, more);
	if (len)
		strbuf_addf(&head, "Content-Type: %s\r\n", type);
	if (c->is_new)
		strbuf_addf(&head, "Mcp-Session-Id: %s\r\n", c->session);
	strbuf_addf(&head, "Connection: %s\r\n\r\n", c->keep ? "keep-alive" : "close");
	c->is_new = false;
	http_put(c, &head, body, len, !c->keep);
	http_done(c);
}

void http_refuse(struct connection *c, int status, const char *more, const char *text)
{
	http_answer(c, status, more, "text/plain; charset=utf-8", text, strlen(text));
}

/* ---- reading
 * ------------------------------------------------------------------------ */

static void http_connection_set_header(struct request *r, char *name, char *value)
{
	const struct {
		const char *name;
		char **to;
	} known[] = {
		{ "host", &r->host },
		{ "origin", &r->origin },
		{ "content-type", &r->type },
		{ "accept", &r->accept },
		{ "authorization", &r->authorization },
		{ "mcp-session-id", &r->session },
		{ "mcp-protocol-version", &r->version },
		{ "mcp-method", &r->mcp_method },
		{ "mcp-name", &r->mcp_name },
		{ "content-length", &r->length },
		{ "connection", &r->connection },
		{ "transfer-encoding", &r->transfer },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcasecmp(known[i].name, name) == 0)
			*known[i].to = value;
	if (strncasecmp(name, "mcp-param-", 10) == 0 && r->param_count++ < PARAMS_MAX) {
		r->params[r->param_count - 1].name = name + 10;
		r->params[r->param_count - 1].value = value;
	}
}

/* Parse the head in place. @return false if it is invalid. */
static bool http_connection_read_head(char *head, struct request *r)
{
	char *line = strsep(&head, "\n"), *version;

	line[strcspn(line, "\r")] = '\0';
	r->method = strsep(&line, " ");
	r->path = line ? strsep(&line, " ") : NULL;
	version = line;
	if (!r->path || !version || strncmp(version, "HTTP/1.", 7) != 0)
		return false;
	while ((line = strsep(&head, "\n"))) {
		char *name;

		line[strcspn(line, "\r")] = '\0';
		if (!*line)
			continue;
		name = strsep(&line, ":");
		if (!line || !*name || strpbrk(name, " \t"))
			return false;
		if (strcasecmp(name, "content-length") == 0 && r->length)
			return false;
		line += strspn(line, " \t");
		line[space_trim_end(line, strlen(line))] = '\0';
		http_connection_set_header(r, name, line);
	}
	return true;
}

/* Bytes of the body; -1: the request was refused. */
static int64_t body_length(struct connection *c, const struct request *r)
{
	char *end = NULL;
	uint64_t n;

	c->keep = false; /* without a valid length, the next request cannot be found */
	if (r->transfer) {
		http_refuse(c, 411, "", "missing Content-Length\n");
		return -1;
	}
	errno = 0;
	n = r->length && isdigit((unsigned char)*r->length)
		    ? strtoull(r->length, &end, 10)
		    : 0;
	if (r->length && (!end || *end || errno)) {
		http_refuse(c, 400, "", "Content-Length is not a number\n");
		return -1;
	}
	if (n > MCP_MESSAGE_MAX) {
		http_refuse(c, 413, "", "message is larger than 16 MiB\n");
		return -1;
	}
	c->keep = !r->connection || strcasecmp(r->connection, "close") != 0;
	return (int64_t)n;
}

/* Handle one request if it is complete. */
static void take_one(struct connection *c)
{
	char *end = memmem(c->in.text, c->in.len, "\r\n\r\n", 4);
	size_t head_len = end ? (size_t)(end - c->in.text) + 4 : 0;
	AUTO(free) char *head = end ? strndup(c->in.text, head_len - 2) : NULL;
	AUTO(free) char *body = NULL;
	struct request r = { 0 };
	int64_t len;

	if ((end ? head_len : c->in.len) > HEAD_MAX) {
		c->busy = true;
		c->keep = false;
		http_refuse(c, 431, "", "request headers are too large\n");
		return;
	}
	if (!head)
		return;
	c->busy = true;
	c->modern = false;
	if (strlen(head) != head_len - 2 || !http_connection_read_head(head, &r)) {
		c->keep = false;
		http_refuse(c, 400, "", "not an HTTP/1.1 request\n");
		return;
	}
	len = http_admit(c, &r) ? body_length(c, &r) : -1;
	if (len < 0)
		return;
	if (c->in.len < head_len + (size_t)len) {
		c->busy = false; /* the rest was not received yet */
		return;
	}
	body = strndup(c->in.text + head_len, (size_t)len);
	strbuf_consume(&c->in, head_len + (size_t)len);
	if (!body)
		http_drop(c);
	else
		http_take_request(c, &r, body, strlen(body));
}

static void http_connection_handle(struct connection *c)
{
	size_t before;

	c->handling = true;
	do {
		before = c->in.len;
		if (!c->busy && !c->closing && before)
			take_one(c);
	} while (!c->busy && !c->closing && c->keep && c->in.len < before);
	c->handling = false;
}

static void http_connection_on_room(uv_handle_t *h, size_t wanted, uv_buf_t *buf)
{
	struct connection *c = h->data;

	(void)wanted;
	*buf = uv_buf_init(c->room, sizeof c->room);
}

static size_t received(const struct mcp_http *w)
{
	size_t all = 0;

	for (const struct connection *c = w->connections; c; c = c->next)
		all += c->in.len;
	return all;
}

static void http_connection_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct connection *c = stream->data;

	if (n == 0)
		return;
	c->since = uv_now(c->web->loop);
	if (n < 0 || received(c->web) + (size_t)n > IN_ALL_MAX ||
	    strbuf_addn(&c->in, buf->base, (size_t)n))
		http_drop(c);
	else
		http_connection_handle(c);
}

/* The connection without a request that has been idle longest; NULL: none. */
static struct connection *most_idle(struct mcp_http *w, const struct connection *except)
{
	struct connection *found = NULL;

	for (struct connection *c = w->connections; c; c = c->next)
		if (c != except && !c->busy && !c->closing &&
		    (!found || c->since <= found->since))
			found = c;
	return found;
}

/* Close an idle connection if there are too many. @return false if none is idle. */
static bool http_connection_make_room(struct mcp_http *w,
				      const struct connection *for_this)
{
	size_t open = 0;
	struct connection *idle;

	for (const struct connection *c = w->connections; c; c = c->next)
		open += !c->closing;
	if (open <= CONNECTIONS_MAX)
		return true;
	idle = most_idle(w, for_this);
	if (idle)
		http_drop(idle);
	return idle;
}

void http_on_connection(uv_stream_t *server, int status)
{
	struct mcp_http *w = server->data;
	struct connection *c = status ? NULL : calloc(1, sizeof *c);

	if (!c)
		return;
	*c = (struct connection){ .peer = { .send = http_send_message,
					      .abandon = http_abandon,
					      .session = c->session },
				  .web = w,
				  .next = w->connections,
				  .in = STRBUF(MCP_MESSAGE_MAX + 2 * HEAD_MAX),
				  .since = uv_now(w->loop) };
	w->connections = c;
	w->count++;
	uv_tcp_init(w->loop, &c->tcp);
	c->tcp.data = c;
	uv_tcp_keepalive(&c->tcp, 1, KEEPALIVE_S);
	if (uv_accept(server, (uv_stream_t *)&c->tcp) ||
	    !http_connection_make_room(w, c) ||
	    uv_read_start((uv_stream_t *)&c->tcp, http_connection_on_room,
			  http_connection_on_read))
		http_drop(c);
}

void http_on_sweep(uv_timer_t *timer)
{
	struct mcp_http *w = timer->data;

	for (struct connection *c = w->connections; c; c = c->next) {
		size_t now = unread(c);

		if (now < c->unread) /* the client reads, but slowly */
			c->since = uv_now(w->loop);
		c->unread = now;
		if ((now || !c->busy) && uv_now(w->loop) - c->since > IDLE_MS)
			http_drop(c);
	}
}
