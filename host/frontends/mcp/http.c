/* SPDX-License-Identifier: MIT
 *
 * http.c - serves MCP over streamable HTTP (`mortise tools serve --http`). Each
 * response is one JSON document, or an event stream if the tool reports progress.
 * Only localhost is served, unless a token is required. */
#include "frontends/mcp/internal.h"

#include "base64.h"
#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

enum {
	HEAD_MAX = 16 << 10,
	CONNECTIONS_MAX = 64,
	SESSIONS_MAX = 256, /* the oldest are forgotten */
	SESSION_BYTES = 16,
	IDLE_MS = 60000, /* a connection without a request, or with half of one */
	SWEEP_MS = 5000,
	OUT_MAX = 96 << 20, /* bytes that a client has not read yet */
	TOKEN_MIN = 16,
	PARAMS_MAX = 32, /* parameters in headers */
};

struct session {
	char id[2 * SESSION_BYTES + 1];
};

struct mcp_http {
	struct mcp_server *serve;
	uv_loop_t *loop;
	uv_tcp_t tcp;
	uv_timer_t sweep;
	struct connection *connections;
	size_t count;
	struct session sessions[SESSIONS_MAX];
	size_t session_next;
	const char *token;
	bool local, closed;
};

/* Headers that count; the texts point into the request. */
struct request {
	char *method, *path, *host, *origin, *type, *accept, *authorization, *session,
		*version, *mcp_method, *mcp_name, *length, *connection, *transfer;
	/* Mcp-Param-NAME: parameters of a tool */
	struct {
		char *name, *value;
	} params[PARAMS_MAX];
	size_t param_count; /* more than PARAMS_MAX: those are not kept */
};

struct connection {
	struct mcp_client peer; /* first: a peer is a connection */
	struct connection *next;
	struct mcp_http *web;
	uv_tcp_t tcp;
	struct strbuf in;
	uint64_t since; /* ms of the loop: of the last byte */
	bool busy;      /* a request is being answered */
	bool handling;  /* requests are being looked for in what came */
	bool events;    /* the client takes a stream */
	bool streams, modern, keep, closing;
	char session[2 * SESSION_BYTES + 1];
	bool is_new; /* the session: the answer names it */
	char room[65536];
};

struct writing {
	uv_write_t write;
	struct connection *c;
	bool close;
	char bytes[];
};

static void handle(struct connection *c);

/* ---- connections ------------------------------------------------------------------ */

static void on_closed(uv_handle_t *h)
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

static void drop(struct connection *c)
{
	if (c->closing)
		return;
	c->closing = true;
	mcp_forget_client(c->web->serve, &c->peer);
	uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void on_written(uv_write_t *write, int status)
{
	struct writing *w = write->data;
	struct connection *c = w->c;
	bool close = w->close || status;

	free(w);
	if (close)
		drop(c);
}

static void put(struct connection *c, const struct strbuf *head, const char *body,
		size_t len, bool close)
{
	size_t n = head->len + len;
	struct writing *w = head->error || uv_stream_get_write_queue_size(
						   (uv_stream_t *)&c->tcp) > OUT_MAX
				    ? NULL
				    : malloc(sizeof *w + n);
	uv_buf_t buf;

	if (c->closing) {
		free(w);
		return;
	}
	if (!w) {
		drop(c);
		return;
	}
	memcpy(w->bytes, head->text, head->len);
	memcpy(w->bytes + head->len, body, len);
	w->c = c;
	w->close = close;
	w->write.data = w;
	buf = uv_buf_init(w->bytes, (unsigned)n);
	if (uv_write(&w->write, (uv_stream_t *)&c->tcp, &buf, 1, on_written)) {
		free(w);
		drop(c);
	}
}

/* ---- answers ------------------------------------------------------------------------ */

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

static void done(struct connection *c)
{
	c->busy = c->streams = false;
	c->since = uv_now(c->web->loop);
	if (!c->handling)
		handle(c);
}

static void answer(struct connection *c, int status, const char *more, const char *type,
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
	put(c, &head, body, len, !c->keep);
	done(c);
}

/* What is no message of the protocol is refused by HTTP alone. */
static void refuse(struct connection *c, int status, const char *more, const char *text)
{
	answer(c, status, more, "text/plain; charset=utf-8", text, strlen(text));
}

static int status_of(const struct connection *c, int code)
{
	switch (code) {
	case RPC_METHOD:
		return c->modern ? 404 : 200;
	case RPC_PARSE:
	case RPC_INVALID:
	case RPC_HEADER:
	case RPC_VERSION:
		return 400;
	default:
		return 200;
	}
}

static void put_event(struct connection *c, const struct strbuf *b, bool last)
{
	AUTO(strbuf) struct strbuf text = STRBUF(MCP_MESSAGE_MAX * 5);

	if (!c->streams)
		strbuf_add(&text, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Cache-Control: no-store\r\nConnection: close\r\n\r\n");
	c->streams = true;
	c->keep = false;
	strbuf_add(&text, "event: message\ndata: ");
	strbuf_addn(&text, b->text, b->len);
	put(c, &text, "\n\n", 2, last);
	if (last)
		done(c);
}

static void on_message(struct mcp_client *p, struct strbuf *b, bool last, int code)
{
	struct connection *c = (struct connection *)p;

	if (c->closing || !c->busy)
		return;
	if (b->error)
		drop(c);
	else if (c->streams || (!last && c->events))
		put_event(c, b, last);
	else if (!last)
		return; /* no room for it in one document */
	else
		answer(c, status_of(c, code), "", "application/json", b->text, b->len);
}

/* ---- sessions ---------------------------------------------------------------------- */

static struct session *session_find(struct mcp_http *w, const char *id)
{
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		if (*w->sessions[i].id && strcmp(w->sessions[i].id, id) == 0)
			return &w->sessions[i];
	return NULL;
}

static bool session_new(struct connection *c)
{
	struct session *s = &c->web->sessions[c->web->session_next++ % SESSIONS_MAX];
	unsigned char bytes[SESSION_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(s->id + 2 * i, 3, "%02x", bytes[i]);
	snprintf(c->session, sizeof c->session, "%s", s->id);
	c->is_new = true;
	return true;
}

/* ---- who may ask --------------------------------------------------------------------- */

/* localhost, 127.0.0.1 or [::1], with any port. */
static bool is_local(const char *host)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);

		if (strncasecmp(host, names[i], n) == 0 &&
		    (host[n] == '\0' ||
		     (host[n] == ':' && host[n + 1] &&
		      strspn(host + n + 1, "0123456789") == strlen(host + n + 1))))
			return true;
	}
	return false;
}

/* A page of a browser may send requests here, under names that lead here: it says so in
 * Origin and Host. */
static bool is_page(const struct mcp_http *w, const struct request *r)
{
	const char *origin = r->origin ? strstr(r->origin, "://") : NULL;

	if (w->local && (!r->host || !is_local(r->host)))
		return true;
	if (!r->origin)
		return false;
	return !origin || !(is_local(origin + 3) ||
			    (!w->local && r->host && strcmp(origin + 3, r->host) == 0));
}

/* In the same time whatever is wrong with it. */
static bool has_token(const struct mcp_http *w, const struct request *r)
{
	const char *given = r->authorization;
	size_t want = w->token ? strlen(w->token) : 0;
	unsigned char differs = 0;

	if (!w->token)
		return true;
	if (!given || strncasecmp(given, "Bearer ", 7) != 0)
		return false;
	given += 7 + strspn(given + 7, " ");
	if (strlen(given) != want)
		return false;
	for (size_t i = 0; i < want; i++)
		differs |= (unsigned char)(given[i] ^ w->token[i]);
	return differs == 0;
}

/* ---- one request ------------------------------------------------------------------- */

static bool is_legacy(const char *version)
{
	for (size_t i = 0; mcp_versions[i]; i++)
		if (strcmp(mcp_versions[i], version) == 0)
			return true;
	return false;
}

/* Is the header this text? It may be written as =?base64?...?=. */
static bool says(const char *header, const char *want, size_t len)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(HEAD_MAX);
	size_t n = header ? strlen(header) : 0;

	if (!header)
		return false;
	if (n < 11 || strncmp(header, "=?base64?", 9) != 0 ||
	    strcmp(header + n - 2, "?=") != 0)
		return n == len && memcmp(header, want, n) == 0;
	return !base64_read(&plain, header + 9, n - 11) && plain.len == len &&
	       (len == 0 || memcmp(plain.text, want, len) == 0);
}

static bool names(const char *header, const char *want)
{
	return says(header, want, strlen(want));
}

/* Is the header this value? NULL: then there is to be no header. */
static bool holds(const char *header, json_object *value)
{
	size_t len;
	const char *text;

	if (!value)
		return !header;
	if (json_object_is_type(value, json_type_string))
		return says(header, json_object_get_string(value),
			    (size_t)json_object_get_string_len(value));
	text = js_text(value, &len);
	return says(header, text, len);
}

static void refuse_request(struct connection *c, json_object *doc, int code,
			   const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	strbuf_add(&b, "{\"jsonrpc\":\"2.0\"");
	js_key(&b, "id");
	js_put(&b, js_get(doc, "id"));
	strbuf_addf(&b, ",\"error\":{\"code\":%d", code);
	js_key_str(&b, "message", text);
	strbuf_add(&b, "}}");
	answer(c, 400, "", "application/json", b.text, b.len);
}

static const char *param_header(const struct request *r, const char *name)
{
	for (size_t i = 0; i < r->param_count && i < PARAMS_MAX; i++)
		if (strcasecmp(r->params[i].name, name) == 0)
			return r->params[i].value;
	return NULL;
}

/* Parameters that the tool's schema wants in a header stand there as in the arguments.
 * @return false: it was refused. */
static bool check_params(struct connection *c, const struct request *r, json_object *doc)
{
	json_object *params = js_get(doc, "params"), *given = js_get(params, "arguments");
	json_object *known =
		js_get(mcp_tool_schema(c->web->serve, js_str(params, "name", "")),
		       "properties");
	char text[240];

	if (r->param_count > PARAMS_MAX) {
		refuse_request(c, doc, RPC_HEADER, "too many Mcp-Param- headers");
		return false;
	}
	if (!json_object_is_type(known, json_type_object))
		return true;
	json_object_object_foreach(known, key, property) {
		const char *name = js_str(property, "x-mcp-header", NULL);
		const char *header = name ? param_header(r, name) : NULL;

		if (!name || holds(header, js_get(given, key)))
			continue;
		snprintf(text, sizeof text,
			 "header Mcp-Param-%.80s does not match "
			 "argument `%.80s`",
			 name, key);
		refuse_request(c, doc, RPC_HEADER, text);
		return false;
	}
	return true;
}

/* What the version without a handshake says in every request, twice.
 * @return false: it was refused. */
static bool check_modern(struct connection *c, const struct request *r, json_object *doc)
{
	static const char meta[] = "io.modelcontextprotocol/";
	json_object *params = js_get(doc, "params"), *own = js_get(params, "_meta");
	const char *method = js_str(doc, "method", ""), *version, *name;
	char key[80];

	snprintf(key, sizeof key, "%sprotocolVersion", meta);
	version = js_str(own, key, NULL);
	c->modern = version || (r->version && strcmp(r->version, MCP_MODERN) == 0);
	if (!c->modern || !js_get(doc, "id"))
		return true;
	snprintf(key, sizeof key, "%sclientCapabilities", meta);
	if (!version || !json_object_is_type(js_get(own, key), json_type_object))
		refuse_request(c, doc, RPC_PARAMS,
			       "`_meta` must contain the protocol version and the client "
			       "capabilities");
	else if (!r->version || strcmp(r->version, version) != 0)
		refuse_request(
			c, doc, RPC_HEADER,
			"MCP-Protocol-Version does not match the version in the request");
	else if (strcmp(version, MCP_MODERN) == 0 && !names(r->mcp_method, method))
		refuse_request(c, doc, RPC_HEADER,
			       "Mcp-Method does not match the method in the request");
	else {
		name = strcmp(method, "tools/call") == 0 ? js_str(params, "name", "")
							 : NULL;
		if (!name)
			return true;
		if (names(r->mcp_name, name))
			return check_params(c, r, doc);
		refuse_request(c, doc, RPC_HEADER,
			       "Mcp-Name does not match the name in the request");
	}
	return false;
}

/* @return false: it was refused. */
static bool check_legacy(struct connection *c, const struct request *r, json_object *doc)
{
	bool begins = strcmp(js_str(doc, "method", ""), "initialize") == 0;

	if (r->version && !is_legacy(r->version)) {
		refuse_request(c, doc, RPC_INVALID, "unsupported MCP-Protocol-Version");
		return false;
	}
	if (begins)
		return session_new(c) || (drop(c), false);
	if (r->session && !session_find(c->web, r->session)) {
		refuse(c, 404, "", "unknown session; send initialize first\n");
		return false;
	}
	snprintf(c->session, sizeof c->session, "%s", r->session ? r->session : "");
	return true;
}

static void take_post(struct connection *c, const struct request *r, const char *body,
		      size_t len)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *doc = NULL;
	bool silent;

	if (!r->type || strncasecmp(r->type, "application/json", 16) != 0) {
		refuse(c, 415, "", "requests must have the type application/json\n");
		return;
	}
	if (r->accept && !strstr(r->accept, "*/*") &&
	    !strstr(r->accept, "application/*") &&
	    !strstr(r->accept, "application/json")) {
		refuse(c, 406, "",
		       "responses have the type application/json or "
		       "text/event-stream\n");
		return;
	}
	doc = js_parse(body, len, &err);
	if (err.code) {
		refuse_request(c, NULL, RPC_PARSE, err.text);
		return;
	}
	*c->session = '\0';
	c->events = !r->accept || strstr(r->accept, "text/event-stream") ||
		    strstr(r->accept, "*/*");
	silent = js_str(doc, "method", NULL)
			 ? !js_get(doc, "id")
			 : js_get(doc, "result") || js_get(doc, "error");
	if (!check_modern(c, r, doc) || (!c->modern && !check_legacy(c, r, doc)))
		return;
	mcp_handle_message(c->web->serve, &c->peer, doc);
	if (silent)
		answer(c, 202, "", "", "", 0);
}

static void take_request(struct connection *c, const struct request *r, const char *body,
			 size_t len)
{
	struct session *s = r->session ? session_find(c->web, r->session) : NULL;

	if (is_page(c->web, r))
		refuse(c, 403, "", "this Host or Origin is not allowed\n");
	else if (!has_token(c->web, r))
		refuse(c, 401, "WWW-Authenticate: Bearer\r\n",
		       "missing or invalid token\n");
	else if (strcmp(r->path, "/mcp") != 0)
		refuse(c, 404, "", "unknown path; use /mcp\n");
	else if (strcmp(r->method, "POST") == 0)
		take_post(c, r, body, len);
	else if (strcmp(r->method, "DELETE") == 0 && s) {
		*s->id = '\0';
		answer(c, 200, "", "", "", 0);
	} else if (strcmp(r->method, "DELETE") == 0)
		refuse(c, 404, "", "unknown session\n");
	else
		refuse(c, 405, "Allow: POST, DELETE\r\n",
		       "only POST and DELETE are allowed\n");
}

/* ---- reading ------------------------------------------------------------------------ */

static void set_header(struct request *r, char *name, char *value)
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

/* The head, which is changed. @return false: it is none. */
static bool read_head(char *head, struct request *r)
{
	char *line = strsep(&head, "\n"), *version;

	line[strcspn(line, "\r")] = '\0';
	r->method = strsep(&line, " ");
	r->path = line ? strsep(&line, " ") : NULL;
	version = line;
	if (!r->path || !version || strncmp(version, "HTTP/1.", 7) != 0)
		return false;
	while ((line = strsep(&head, "\n"))) {
		char *name, *end;

		line[strcspn(line, "\r")] = '\0';
		if (!*line)
			continue;
		name = strsep(&line, ":");
		if (!line || !*name || strpbrk(name, " \t"))
			return false;
		if (strcasecmp(name, "content-length") == 0 && r->length)
			return false;
		line += strspn(line, " \t");
		end = line + strlen(line);
		while (end > line && isspace((unsigned char)end[-1]))
			*--end = '\0';
		set_header(r, name, line);
	}
	return true;
}

/* Bytes of the body; -1: the request was refused. */
static int64_t body_length(struct connection *c, const struct request *r)
{
	char *end = NULL;
	uint64_t n;

	c->keep = false; /* what follows cannot be told from the body */
	if (r->transfer) {
		refuse(c, 411, "", "missing Content-Length\n");
		return -1;
	}
	errno = 0;
	n = r->length && isdigit((unsigned char)*r->length)
		    ? strtoull(r->length, &end, 10)
		    : 0;
	if (r->length && (!end || *end || errno)) {
		refuse(c, 400, "", "Content-Length is not a number\n");
		return -1;
	}
	if (n > MCP_MESSAGE_MAX) {
		refuse(c, 413, "", "message is larger than 16 MiB\n");
		return -1;
	}
	c->keep = !r->connection || strcasecmp(r->connection, "close") != 0;
	return (int64_t)n;
}

/* One request, if the whole of it is there. */
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
		refuse(c, 431, "", "request headers are too large\n");
		return;
	}
	if (!head)
		return;
	c->busy = true;
	c->modern = false;
	if (strlen(head) != head_len - 2 || !read_head(head, &r)) {
		c->keep = false;
		refuse(c, 400, "", "not an HTTP/1.1 request\n");
		return;
	}
	len = body_length(c, &r);
	if (len < 0)
		return;
	if (c->in.len < head_len + (size_t)len) {
		c->busy = false; /* the rest is to come */
		return;
	}
	body = strndup(c->in.text + head_len, (size_t)len);
	strbuf_consume(&c->in, head_len + (size_t)len);
	if (!body)
		drop(c);
	else
		take_request(c, &r, body, strlen(body));
}

static void handle(struct connection *c)
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

static void on_room(uv_handle_t *h, size_t wanted, uv_buf_t *buf)
{
	struct connection *c = h->data;

	(void)wanted;
	*buf = uv_buf_init(c->room, sizeof c->room);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct connection *c = stream->data;

	if (n == 0)
		return;
	c->since = uv_now(c->web->loop);
	if (n < 0 || strbuf_addn(&c->in, buf->base, (size_t)n))
		drop(c);
	else
		handle(c);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct mcp_http *w = server->data;
	struct connection *c = status ? NULL : calloc(1, sizeof *c);

	if (!c)
		return;
	*c = (struct connection){ .peer = { .send = on_message, .session = c->session },
				  .web = w,
				  .next = w->connections,
				  .in = STRBUF(MCP_MESSAGE_MAX + 2 * HEAD_MAX),
				  .since = uv_now(w->loop) };
	w->connections = c;
	w->count++;
	uv_tcp_init(w->loop, &c->tcp);
	c->tcp.data = c;
	if (uv_accept(server, (uv_stream_t *)&c->tcp) || w->count > CONNECTIONS_MAX ||
	    uv_read_start((uv_stream_t *)&c->tcp, on_room, on_read))
		drop(c);
}

static void on_sweep(uv_timer_t *timer)
{
	struct mcp_http *w = timer->data;

	for (struct connection *c = w->connections; c; c = c->next)
		if (!c->busy && uv_now(w->loop) - c->since > IDLE_MS)
			drop(c);
}

/* ---- listening ------------------------------------------------------------------------ */

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
	*ret_local = is_local(host);
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
		return fail(err, MT_EDENIED,
			    "no token is set, and clients can run "
			    "commands; set a token in the environment "
			    "variable of --token-env (default "
			    "MORTISE_SERVE_TOKEN), or allow every local "
			    "program with --no-token");
	if (!o->open && strlen(o->token) < TOKEN_MIN)
		return fail(err, MT_EINVAL,
			    "token is too short: use at least %d "
			    "characters",
			    TOKEN_MIN);
	if (o->open && !local)
		return fail(err, MT_EDENIED,
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
		bad = uv_listen((uv_stream_t *)&w->tcp, CONNECTIONS_MAX, on_connection);
	if (bad) {
		mcp_http_close(w);
		uv_run(loop, UV_RUN_NOWAIT);
		free(w);
		return fail(err, MT_EIO, "cannot listen on `%.80s`: %s", o->address,
			    uv_strerror(bad));
	}
	uv_timer_start(&w->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
	tell_address(w, o->address);
	*ret = w;
	return MT_OK;
}

void mcp_http_close(struct mcp_http *w)
{
	if (w->closed)
		return;
	w->closed = true;
	uv_close((uv_handle_t *)&w->tcp, NULL);
	uv_close((uv_handle_t *)&w->sweep, NULL);
	for (struct connection *c = w->connections; c; c = c->next)
		drop(c);
}

void mcp_http_free(struct mcp_http *w)
{
	free(w);
}
