/* SPDX-License-Identifier: MIT
 *
 * methods.c - handles MCP requests and notifications, except for tool calls. */
#include "internal.h"

#include "base64.h"
#include "clock.h"
#include "files.h"
#include "jsonl.h"
#include "tools/calls.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

const char *const mcp_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
				     NULL };

/* ---- output -------------------------------------------------------------------- */

/* Block while the client does not read, up to a timeout. Other processes may share the
 * descriptor, so its mode is unchanged: poll reports when a piece can be written.
 * @return 0 or an errno */
static int write_stdout(const char *bytes, size_t len)
{
	int64_t deadline = clock_ms() + STDOUT_WAIT_MS;

	while (len > 0) {
		struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
		int64_t left = deadline - clock_ms();
		int ready = poll(&out, 1, left > 0 ? (int)left : 0);
		ssize_t n = -1;

		if (ready == 0)
			return ETIMEDOUT;
		if (ready > 0)
			n = write(STDOUT_FILENO, bytes, len < PIPE_BUF ? len : PIPE_BUF);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		if (n <= 0)
			continue;
		bytes += n;
		len -= (size_t)n;
		deadline = clock_ms() + STDOUT_WAIT_MS;
	}
	return 0;
}

void mcp_send_stdout(struct mcp_client *p, struct strbuf *b, bool last, int code)
{
	int error;

	(void)last, (void)code;
	strbuf_addc(b, '\n');
	if (b->error || p->server->mute)
		return;
	error = write_stdout(b->text, b->len);
	if (error)
		mcp_stdout_failed(p->server, error);
}

void mcp_send(struct mcp_client *p, struct strbuf *b)
{
	p->send(p, b, true, 0);
}

void mcp_notify(struct mcp_server *s, const char *session, struct strbuf *b)
{
	if (s->web)
		mcp_http_notify(s->web, session, b);
	else
		mcp_send_stdout(&s->standard, b, false, 0);
}

void mcp_begin_reply(struct strbuf *b, json_object *id, const char *member)
{
	strbuf_add(b, "{\"jsonrpc\":\"2.0\"");
	js_key(b, "id");
	js_put(b, id);
	js_key(b, member);
	strbuf_addc(b, '{');
}

void mcp_send_error(struct mcp_client *p, json_object *id, int code, const char *text,
		    const char *data)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	mcp_begin_reply(&b, id, "error");
	js_key_int(&b, "code", code);
	js_key_str(&b, "message", text);
	if (data) {
		js_key(&b, "data");
		strbuf_add(&b, data);
	}
	strbuf_add(&b, "}}");
	p->send(p, &b, true, code);
}

static void mcp_put_server(struct strbuf *b)
{
	js_key(b, "serverInfo");
	strbuf_addc(b, '{');
	js_key_str(b, "name", "mortise");
	js_key_str(b, "version", PACKAGE_VERSION);
	strbuf_addc(b, '}');
}

void mcp_send_result(const struct mcp_request *q, struct strbuf *b, bool cached)
{
	if (q->modern)
		js_key_str(b, "resultType", "complete");
	if (q->modern && cached) {
		js_key_int(b, "ttlMs", 0);
		js_key_str(b, "cacheScope", "private");
	}
	strbuf_add(b, "}}");
	if (b->error)
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, "the result is too large",
			       NULL);
	else
		mcp_send(q->peer, b);
}

void mcp_refuse_params(const struct mcp_request *q, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	mcp_send_error(q->peer, q->id, RPC_PARAMS, text.text, NULL);
}

/* ---- the simple methods ----------------------------------------------------------- */

/* Changes are announced on the stream of a session, which requires a handshake. */
static void put_capabilities(struct strbuf *b, const struct mcp_request *q)
{
	const struct mcp_server *s = q->server;

	js_key(b, "capabilities");
	strbuf_add(b, q->modern ? "{\"tools\":{}" : "{\"tools\":{\"listChanged\":true}");
	strbuf_add(b, ",\"logging\":{}");
	if (s->skills)
		strbuf_add(b, ",\"prompts\":{}");
	if (s->uri)
		strbuf_add(b, q->modern ? ",\"resources\":{}"
					: ",\"resources\":{\"subscribe\":true}");
	if (s->skills || s->uri)
		strbuf_add(b, ",\"completions\":{}");
	strbuf_addc(b, '}');
}

/* The object; NULL if it is too large to store, or not an object. */
static json_object *small_object(json_object *o)
{
	size_t len = 0;

	return json_object_is_type(o, json_type_object) && js_text(o, &len) &&
			       len <= CAPABILITIES_MAX
		       ? o
		       : NULL;
}

static void mcp_methods_initialize(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);
	const char *asked = js_str(q->params, "protocolVersion", ""),
		   *version = mcp_versions[0];

	for (size_t i = 0; mcp_versions[i]; i++)
		if (strcmp(asked, mcp_versions[i]) == 0)
			version = mcp_versions[i];
	q->server->greeted = true;
	if (q->peer->known) {
		json_object_put(q->peer->known->capabilities);
		q->peer->known->capabilities =
			json_object_get(small_object(js_get(q->params, "capabilities")));
	}
	mcp_begin_reply(&b, q->id, "result");
	js_key_str(&b, "protocolVersion", version);
	put_capabilities(&b, q);
	mcp_put_server(&b);
	strbuf_add(&b, "}}");
	mcp_send(q->peer, &b);
}

static void mcp_methods_discover(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);
	const struct mcp_request modern = { q->server, q->peer, q->id, q->params, true };

	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "supportedVersions");
	strbuf_add(&b, "[\"" MCP_MODERN "\"");
	for (size_t i = 0; mcp_versions[i]; i++)
		strbuf_addf(&b, ",\"%s\"", mcp_versions[i]);
	strbuf_addc(&b, ']');
	put_capabilities(&b, &modern);
	js_key(&b, "_meta");
	strbuf_add(&b, "{\"" META "serverInfo\":{");
	js_key_str(&b, "name", "mortise");
	js_key_str(&b, "version", PACKAGE_VERSION);
	strbuf_add(&b, "}}");
	mcp_send_result(&modern, &b, true);
}

static void ping(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);

	mcp_begin_reply(&b, q->id, "result");
	strbuf_add(&b, "}}");
	mcp_send(q->peer, &b);
}

static void mcp_methods_put_tool(struct strbuf *b, const struct tool *t)
{
	js_key_str(b, "name", t->name);
	js_key_str(b, "description", t->description);
	js_key(b, "inputSchema");
	js_put(b, t->schema_json);
	js_key(b, "annotations");
	strbuf_addc(b, '{');
	js_key_bool(b, "readOnlyHint", t->hints & MT_TOOL_READ_ONLY);
	js_key_bool(b, "destructiveHint", t->hints & MT_TOOL_DESTRUCTIVE);
	js_key_bool(b, "idempotentHint", t->hints & MT_TOOL_IDEMPOTENT);
	js_key_bool(b, "openWorldHint", t->hints & MT_TOOL_OPEN_WORLD);
	strbuf_addc(b, '}');
}

static void mcp_methods_list_tools(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	const struct catalog *catalog = q->server->catalog;
	bool first = true;

	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "tools");
	strbuf_addc(&b, '[');
	for (size_t i = 0; i < catalog->count; i++) {
		const struct tool *t = &catalog->tools[i];

		if (t->hints & MT_TOOL_CONTROL)
			continue;
		strbuf_add(&b, first ? "{" : ",{");
		mcp_methods_put_tool(&b, t);
		strbuf_addc(&b, '}');
		first = false;
	}
	strbuf_addc(&b, ']');
	mcp_send_result(q, &b, true);
}

/* ---- input ------------------------------------------------------------------------- */

enum { ALWAYS, HANDSHAKE /* not in the version without a handshake, over HTTP */ };

static bool has_prompts(const struct mcp_server *s)
{
	return s->skills;
}

static bool has_resources(const struct mcp_server *s)
{
	return s->uri;
}

static bool has_completion(const struct mcp_server *s)
{
	return s->skills || s->uri;
}

static const struct method {
	const char *name;
	void (*handle)(const struct mcp_request *q);
	bool (*offered)(const struct mcp_server *s); /* NULL: always */
	int when;
	const char *named; /* the member of the parameters that Mcp-Name repeats */
} methods[] = {
	{ .name = "tools/call", .handle = mcp_call_start, .named = "name" },
	{ .name = "tools/list", .handle = mcp_methods_list_tools },
	{ .name = "initialize", .handle = mcp_methods_initialize, .when = HANDSHAKE },
	{ .name = "server/discover", .handle = mcp_methods_discover },
	{ .name = "ping", .handle = ping, .when = HANDSHAKE },
	{ .name = "prompts/list", .handle = mcp_prompts_list, .offered = has_prompts },
	{ .name = "prompts/get", .handle = mcp_prompts_get,
	  .offered = has_prompts, .named = "name" },
	{ .name = "resources/list", .handle = mcp_resources_list,
	  .offered = has_resources },
	{ .name = "resources/templates/list", .handle = mcp_resources_templates,
	  .offered = has_resources },
	{ .name = "resources/subscribe", .handle = mcp_resources_subscribe,
	  .offered = has_resources, .when = HANDSHAKE },
	{ .name = "resources/unsubscribe", .handle = mcp_resources_unsubscribe,
	  .offered = has_resources, .when = HANDSHAKE },
	{ .name = "resources/read", .handle = mcp_resources_read,
	  .offered = has_resources, .named = "uri" },
	{ .name = "logging/setLevel", .handle = mcp_logging_set, .when = HANDSHAKE },
	{ .name = "completion/complete", .handle = mcp_complete,
	  .offered = has_completion },
};

static const struct method *method_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

const char *mcp_name_of(const char *method, json_object *params)
{
	const struct method *m = method_find(method);

	return m && m->named ? js_str(params, m->named, "") : NULL;
}

/* The protocol without a handshake has its version in each request.
 * @return false if it is unsupported, after reporting that to the client. */
static bool mcp_methods_check_version(struct mcp_client *p, json_object *id,
				      json_object *params, bool *ret_modern)
{
	json_object *meta = js_get(params, "_meta");
	const char *version = js_str(meta, META "protocolVersion", NULL);
	AUTO(strbuf) struct strbuf data = STRBUF(4096);

	*ret_modern = version != NULL;
	if (!version || strcmp(version, MCP_MODERN) == 0)
		return true;
	strbuf_add(&data, "{\"supported\":[\"" MCP_MODERN "\"]");
	js_key_str(&data, "requested", version);
	strbuf_addc(&data, '}');
	mcp_send_error(p, id, RPC_VERSION, "Unsupported protocol version", data.text);
	return false;
}

static void mcp_methods_take_request(const struct mcp_request *q, const char *method)
{
	const struct method *m = method_find(method);

	if (!m || (m->offered && !m->offered(q->server)) ||
	    (m->when == HANDSHAKE && q->modern && q->server->web))
		mcp_send_error(q->peer, q->id, RPC_METHOD, "Method not found", NULL);
	else
		m->handle(q);
}

json_object *mcp_checked_id(json_object *id)
{
	size_t len = 0;

	switch (json_object_get_type(id)) {
	case json_type_string:
		len = (size_t)json_object_get_string_len(id);
		return len <= ID_LONGEST ? id : NULL;
	case json_type_int:
	case json_type_double:
		return id;
	default:
		return NULL;
	}
}

void mcp_handle_message(struct mcp_server *s, struct mcp_client *p, json_object *doc)
{
	json_object *id = js_get(doc, "id");
	const char *method = js_str(doc, "method", NULL);
	struct mcp_request q = { s, p, id, js_get(doc, "params"), false };

	if (!json_object_is_type(doc, json_type_object))
		mcp_send_error(p, NULL, RPC_INVALID,
			       "batches are not supported; send one request per message",
			       NULL);
	else if (!s->link)
		mcp_send_error(p, id, RPC_INTERNAL, "the server is shutting down", NULL);
	else if (id && !mcp_checked_id(id))
		mcp_send_error(p, NULL, RPC_INVALID,
			       "the id must be a number or a short string", NULL);
	else if (method && id) {
		if (mcp_methods_check_version(p, id, q.params, &q.modern))
			mcp_methods_take_request(&q, method);
	} else if (method && strcmp(method, "notifications/cancelled") == 0)
		mcp_call_cancel(s, p, js_get(doc, "params"));
	else if (!method && (js_get(doc, "result") || js_get(doc, "error")))
		mcp_asks_answered(s, p, doc);
	else if (!method)
		mcp_send_error(p, id, RPC_INVALID, "missing method", NULL);
}
