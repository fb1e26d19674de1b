/* SPDX-License-Identifier: MIT
 *
 * http-request.c - checks requests by the rules of MCP over HTTP, and handles them. */
#include "http.h"

#include "base64.h"

#include <string.h>

/* ---- authorization ----------------------------------------------------------------- */

bool http_is_local(const char *host)
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

/* True if a web page may have sent the request, as Origin and Host show: a page can send
 * requests to this server under any name that resolves to it. */
static bool is_page(const struct mcp_http *w, const struct request *r)
{
	const char *origin = r->origin ? strstr(r->origin, "://") : NULL;

	if (w->local && (!r->host || !http_is_local(r->host)))
		return true;
	if (!r->origin)
		return false;
	return !origin || !(http_is_local(origin + 3) ||
			    (!w->local && r->host && strcmp(origin + 3, r->host) == 0));
}

/* Compare the token in constant time. */
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

/* True if the header has this value. It may be encoded as =?base64?...?=. */
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

/* True if the header has this value. NULL: the header must be absent. */
static bool http_request_holds(const char *header, json_object *value)
{
	size_t len;
	const char *text;

	if (!value)
		return !header;
	if (json_object_is_type(value, json_type_string))
		return says(header, json_object_get_string(value),
			    (size_t)json_object_get_string_len(value));
	text = js_text(value, &len);
	return text && says(header, text, len);
}

static void refuse_request(struct connection *c, json_object *doc, int code,
			   const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	strbuf_add(&b, "{\"jsonrpc\":\"2.0\"");
	js_key(&b, "id");
	js_put(&b, mcp_checked_id(js_get(doc, "id")));
	strbuf_addf(&b, ",\"error\":{\"code\":%d", code);
	js_key_str(&b, "message", text);
	strbuf_add(&b, "}}");
	http_answer(c, 400, "", "application/json", b.text, b.len);
}

static const char *param_header(const struct request *r, const char *name)
{
	for (size_t i = 0; i < r->param_count && i < PARAMS_MAX; i++)
		if (strcasecmp(r->params[i].name, name) == 0)
			return r->params[i].value;
	return NULL;
}

/* Parameters that the tool's schema requires in a header must equal the arguments.
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

		if (!name || http_request_holds(header, js_get(given, key)))
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

/* Check the values that clients without a handshake send in headers and in the body.
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
		name = mcp_name_of(method, params);
		if (!name)
			return true;
		if (names(r->mcp_name, name))
			return strcmp(method, "tools/call") != 0 ||
			       check_params(c, r, doc);
		refuse_request(c, doc, RPC_HEADER,
			       "Mcp-Name does not match the name in the request");
	}
	return false;
}

/* @return false: it was refused. */
static bool check_legacy(struct connection *c, const struct request *r, json_object *doc)
{
	bool begins = strcmp(js_str(doc, "method", ""), "initialize") == 0;
	struct session *s;

	if (r->version && !is_legacy(r->version)) {
		refuse_request(c, doc, RPC_INVALID, "unsupported MCP-Protocol-Version");
		return false;
	}
	if (begins)
		return http_session_new(c) || (http_drop(c), false);
	s = r->session ? http_session_find(c->web, r->session) : NULL;
	if (r->session && !s) {
		http_refuse(c, 404, "", "unknown session; send initialize first\n");
		return false;
	}
	c->peer.known = s ? &s->known : NULL;
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
		http_refuse(c, 415, "", "requests must have the type application/json\n");
		return;
	}
	if (r->accept && !strstr(r->accept, "*/*") &&
	    !strstr(r->accept, "application/*") &&
	    !strstr(r->accept, "application/json")) {
		http_refuse(c, 406, "",
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
	c->peer.known = NULL;
	c->events = !r->accept || strstr(r->accept, "text/event-stream") ||
		    strstr(r->accept, "*/*");
	c->peer.one_answer = !c->events;
	silent = js_str(doc, "method", NULL)
			 ? !js_get(doc, "id")
			 : js_get(doc, "result") || js_get(doc, "error");
	if (!check_modern(c, r, doc) || (!c->modern && !check_legacy(c, r, doc)))
		return;
	mcp_handle_message(c->web->serve, &c->peer, doc);
	if (silent)
		http_answer(c, 202, "", "", "", 0);
}

/* True for a request to end a session or to listen to its events. */
static bool wants_session(const struct request *r)
{
	return strcmp(r->method, "DELETE") == 0 ||
	       (strcmp(r->method, "GET") == 0 && r->session && r->accept &&
		strstr(r->accept, "text/event-stream"));
}

bool http_admit(struct connection *c, const struct request *r)
{
	c->keep = false; /* the body of a refused request is not read */
	if (is_page(c->web, r))
		http_refuse(c, 403, "", "this Host or Origin is not allowed\n");
	else if (!has_token(c->web, r))
		http_refuse(c, 401, "WWW-Authenticate: Bearer\r\n",
			    "missing or invalid token\n");
	else if (strcmp(r->path, "/mcp") != 0)
		http_refuse(c, 404, "", "unknown path; use /mcp\n");
	else if (strcmp(r->method, "POST") != 0 && !wants_session(r))
		http_refuse(c, 405, "Allow: POST, DELETE\r\n",
			    "only POST and DELETE are allowed, and GET for the events of "
			    "a session\n");
	else
		return true;
	return false;
}

void http_take_request(struct connection *c, const struct request *r, const char *body,
		       size_t len)
{
	struct session *s = r->session ? http_session_find(c->web, r->session) : NULL;

	if (strcmp(r->method, "POST") == 0) {
		take_post(c, r, body, len);
	} else if (!s) {
		http_refuse(c, 404, "", "unknown session\n");
	} else if (strcmp(r->method, "DELETE") == 0) {
		http_session_end(c->web, s);
		http_answer(c, 200, "", "", "", 0);
	} else {
		snprintf(c->session, sizeof c->session, "%s", s->id);
		http_listen(c);
	}
}
