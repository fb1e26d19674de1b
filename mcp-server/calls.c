/* SPDX-License-Identifier: MIT
 *
 * calls.c - runs the tool calls of MCP clients on the runner and sends their results. */
#include "internal.h"

#include "base64.h"
#include "files.h"
#include "jsonl.h"
#include "tools/calls.h"
#include "tools/secret-requests.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <signal.h>
#include <string.h>

/* ---- calls --------------------------------------------------------------------- */

static struct mcp_call *served_find(struct mcp_server *s, uint64_t number)
{
	struct mcp_call *c = s->calls;

	while (c && c->number != number)
		c = c->next;
	return c;
}

void mcp_call_drop(struct mcp_server *s, struct mcp_call *c)
{
	for (struct mcp_call **at = &s->calls; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	s->call_count--;
	json_object_put(c->id);
	json_object_put(c->token);
	json_object_put(c->capabilities);
	json_object_put(c->responses);
	mcp_asks_clear(c);
	http_requests_clear(&c->http);
	mask_stream_clear(&c->shown);
	free(c->tool);
	free(c);
	if (s->ended && !s->calls)
		runner_close(s->link);
}

/* A result with an error message for the model. */
static void mcp_calls_put_failure(struct mcp_client *p, json_object *id, const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	mcp_begin_reply(&b, id, "result");
	js_key(&b, "content");
	strbuf_add(&b, "[{\"type\":\"text\"");
	js_key_str(&b, "text", text);
	strbuf_add(&b, "}]");
	js_key_bool(&b, "isError", true);
	js_key_str(&b, "resultType", "complete");
	strbuf_add(&b, "}}");
	mcp_send(p, &b);
}

json_object *mcp_tool_schema(const struct mcp_server *s, const char *tool)
{
	const struct tool *t = catalog_find(s->catalog, tool);

	return t && !(t->hints & MT_TOOL_CONTROL) ? t->schema_json : NULL;
}

void mcp_call_set_request(struct mcp_call *c, const struct mcp_request *q)
{
	json_object_put(c->id);
	json_object_put(c->token);
	json_object_put(c->capabilities);
	json_object_put(c->responses);
	c->id = json_object_get(q->id);
	c->token = json_object_get(
		mcp_checked_id(js_path(q->params, "_meta.progressToken")));
	c->capabilities = json_object_get(mcp_capabilities(q));
	c->responses = json_object_get(js_get(q->params, "inputResponses"));
	c->log_level = mcp_logging_level(q);
}

static struct mcp_call *mcp_call_new(const struct mcp_request *q, const struct tool *t)
{
	struct mcp_server *s = q->server;
	struct mcp_call *c = calloc(1, sizeof *c);
	char *tool = strdup(t->name);

	if (!c || !tool) {
		free(c);
		free(tool);
		return NULL;
	}
	*c = (struct mcp_call){ .next = s->calls,
				.peer = q->peer,
				.number = ++s->numbers,
				.instance = t->instance,
				.tool = tool,
				.modern = q->modern };
	mask_stream_init(&c->shown, s->mask);
	mcp_call_set_request(c, q);
	s->calls = c;
	s->call_count++;
	return c;
}

static void mcp_calls_start_call(const struct mcp_request *q, const struct tool *t,
				 json_object *args)
{
	struct mcp_server *s = q->server;
	struct mcp_call *c = mcp_call_new(q, t);
	struct error err = ERROR_NONE;
	size_t len;
	const char *text = js_text(args, &len);

	if (!c || !text) {
		mcp_calls_put_failure(q->peer, q->id, status_name(MT_ENOMEM));
		if (c)
			mcp_call_drop(s, c);
	} else if (runner_call(s->link, c->number,
			       s->catalog->instances[t->instance].name, t->real, text,
			       len, s->catalog->instances[t->instance].deadline_ms,
			       &err)) {
		mcp_calls_put_failure(q->peer, q->id, err.text);
		mcp_call_drop(s, c);
	}
}

void mcp_call_start(const struct mcp_request *q)
{
	struct mcp_server *s = q->server;
	const char *name = js_str(q->params, "name", "");
	const struct tool *t = catalog_find(s->catalog, name);
	json_object *given = js_get(q->params, "arguments");
	AUTO(json) json_object *args = NULL;
	struct error err = ERROR_NONE;
	const char *text = given ? js_text(given, NULL) : "{}";

	if (!text) {
		mcp_calls_put_failure(q->peer, q->id, status_name(MT_ENOMEM));
	} else if (!t || (t->hints & MT_TOOL_CONTROL)) {
		catalog_unknown(s->catalog, name, text, &err);
		mcp_send_error(q->peer, q->id, RPC_PARAMS, err.text, NULL);
	} else if (mcp_call_resume(q)) {
		return;
	} else if (s->call_count >= CALLS_MAX) {
		mcp_calls_put_failure(q->peer, q->id, "too many concurrent calls");
	} else {
		args = call_arguments(t, text, strlen(text), &err);
		if (args)
			mcp_calls_start_call(q, t, args);
		else
			mcp_calls_put_failure(q->peer, q->id, err.text);
	}
}

/* A client can cancel only its own calls: ids of different clients may be equal. */
bool mcp_is_same_client(const struct mcp_client *a, const struct mcp_client *b)
{
	return a == b || (a && a->session && b->session && *a->session &&
			  strcmp(a->session, b->session) == 0);
}

void mcp_call_cancel(struct mcp_server *s, const struct mcp_client *p,
		     json_object *params)
{
	json_object *id = js_get(params, "requestId");

	for (struct mcp_call *c = s->calls; c; c = c->next)
		if (id && js_equal(c->id, id) && mcp_is_same_client(c->peer, p)) {
			struct mcp_client *peer = c->peer;

			c->cancelled = true;
			c->peer = NULL; /* the client gets no response */
			runner_cancel(s->link, c->number);
			if (peer->abandon)
				peer->abandon(peer);
		}
}

static void put_media(struct strbuf *b, const struct runner_media *m)
{
	bool image = strncmp(m->mime, "image/", 6) == 0;
	bool audio = strncmp(m->mime, "audio/", 6) == 0;

	strbuf_add(b, ",{");
	js_key_str(b, "type", image ? "image" : audio ? "audio" : "resource");
	if (!image && !audio) {
		js_key(b, "resource");
		strbuf_addc(b, '{');
		js_key_str(b, "uri", "mortise:result");
	}
	js_key_str(b, "mimeType", m->mime);
	js_key(b, image || audio ? "data" : "blob");
	strbuf_addc(b, '"');
	base64_put(b, m->bytes, m->len);
	strbuf_add(b, image || audio ? "\"}" : "\"}}");
}

/* Writes the text, with the notes of a command, and the error of a call that failed. */
static void put_noted(struct strbuf *text, const struct runner_result *r)
{
	json_object *metadata = js_get(r->fields, "metadata");

	strbuf_add(text, js_str(metadata, "prefix", ""));
	strbuf_addn(text, r->text, r->text_len);
	strbuf_add(text, js_str(metadata, "suffix", ""));
	if (r->status)
		strbuf_addf(text, "%s%s", text->len ? "\n" : "",
			    r->error ? r->error : status_name(r->status));
	else if (r->limit_text)
		strbuf_addf(text, "%s[%s]", text->len ? "\n" : "", r->limit_text);
}

/* The tool failed because the client lacks a capability. */
static void put_lacking(const struct mcp_call *c)
{
	AUTO(strbuf) struct strbuf data = STRBUF(4096);

	strbuf_addf(&data, "{\"requiredCapabilities\":{\"%s\":{}}}", c->lacks);
	mcp_send_error(c->peer, c->id, RPC_CAPABILITY,
		       "Missing required client capability", data.text);
}

/* True for a call that sends input to a command or waits for one, if none was running. */
static bool is_input_to_none(const struct runner_result *r)
{
	static const char error[] = "ERROR:";

	return runner_result_is_incomplete(r) && r->text_len >= strlen(error) &&
	       memcmp(r->text, error, strlen(error)) == 0;
}

static void calls_on_result(void *arg, const struct runner_result *r)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX), text = STRBUF(ANSWER_MAX);
	AUTO(strbuf) struct strbuf all = STRBUF(ANSWER_MAX);
	struct mcp_server *s = arg;
	struct mcp_call *c = served_find(s, r->call);

	if (!c)
		return;
	if (c->peer && c->modern && c->lacks && r->status) {
		put_lacking(c);
		c->peer = NULL;
	}
	if (!c->peer) {
		mcp_call_drop(s, c);
		return;
	}
	put_noted(&all, r);
	secret_mask_result(s->mask, all.text, all.len, &text);
	mcp_begin_reply(&b, c->id, "result");
	js_key(&b, "content");
	strbuf_add(&b, "[{\"type\":\"text\"");
	js_key_strn(&b, "text", text.text, text.len);
	strbuf_addc(&b, '}');
	for (size_t i = 0; i < r->media_count; i++)
		put_media(&b, &r->media[i]);
	strbuf_addc(&b, ']');
	js_key_bool(&b, "isError",
		    r->status != MT_OK || runner_result_exit_code(r) ||
			    runner_result_is_failure(r) || is_input_to_none(r));
	js_key_str(&b, "resultType", "complete");
	strbuf_add(&b, "}}");
	if (b.error || all.error || text.error)
		mcp_calls_put_failure(c->peer, c->id, "the result is too large");
	else
		mcp_send(c->peer, &b);
	mcp_call_drop(s, c);
}

static void put_progress(const struct mcp_call *c, double done, double total,
			 const char *message, size_t len)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	strbuf_add(
		&b,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{");
	js_key(&b, "progressToken");
	js_put(&b, c->token);
	strbuf_addf(&b, ",\"progress\":%.17g", done);
	if (total > 0)
		strbuf_addf(&b, ",\"total\":%.17g", total);
	if (message)
		js_key_strn(&b, "message", message, len);
	strbuf_add(&b, "}}");
	c->peer->send(c->peer, &b, false, 0);
}

static void mcp_calls_on_progress(void *arg, uint64_t number, double done, double total,
				  const char *message)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	struct mcp_server *s = arg;
	struct mcp_call *c = served_find(s, number);
	const char *text = message ? mask_text(s->mask, message, &shown) : NULL;

	if (!c || !c->token || !c->peer)
		return;
	c->counts = true;
	put_progress(c, done, total, text, text ? strlen(text) : 0);
}

/* Live output of a tool is sent as its progress, unless the tool reports progress
 * itself. */
static void mcp_calls_on_output(void *arg, uint64_t number, const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf text = STRBUF(ANSWER_MAX);
	struct mcp_call *c = served_find(arg, number);
	size_t shown;

	if (!c || !c->token || !c->peer || c->counts || len == 0 ||
	    mask_stream_feed(&c->shown, &text, bytes, len))
		return;
	c->written += len;
	shown = text.len < OUTPUT_SHOWN_MAX ? text.len : OUTPUT_SHOWN_MAX;
	put_progress(c, (double)c->written, 0, shown ? text.text + text.len - shown : "",
		     shown);
}

static void mcp_calls_on_request(void *arg, uint64_t number, uint64_t request,
				 const char *method, json_object *params)
{
	struct mcp_server *s = arg;
	struct mcp_call *c = served_find(s, number);
	struct http_caller caller = { .loop = s->loop, .config = s->config,
				      .runner = s->link };

	if (strcmp(method, HTTP_REQUESTS_METHOD) == 0 && c) {
		caller.instance = &s->catalog->instances[c->instance];
		http_requests_send(&c->http, &caller, request, params);
	} else if (!secret_request_answer(s->link, s->config, s->mask, request, method,
					  params)) {
		mask_json(s->mask, params, NULL, NULL); /* the client may see it */
		mcp_asks_request(s, c, request, method, params);
	}
}

static void mcp_calls_on_ready(void *arg)
{
	struct mcp_server *s = arg;

	for (size_t i = 0; i < s->catalog->instance_count; i++)
		if (s->catalog->instances[i].dynamic)
			runner_list(s->link, s->catalog->instances[i].name, NULL);
}

static void mcp_calls_on_log(void *arg, int level, const char *instance, const char *text)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	struct mcp_server *s = arg;

	text = mask_text(s->mask, text, &shown);
	mcp_logging_send(s, level, instance, text);
	if (level <= MT_LOG_WARNING)
		fprintf(stderr, "mortise: %s: %s\n", instance, text);
}

static void mcp_calls_on_tools(void *arg, const char *instance, json_object *tools,
			       const char *why)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);
	AUTO(strbuf) struct strbuf failure = STRBUF(1 << 16);
	struct mcp_server *s = arg;

	if (!tools &&
	    !strbuf_addf(&failure, "cannot list the tools of `%s`: %s", instance, why))
		mcp_calls_on_log(s, MT_LOG_ERROR, instance, failure.text);
	catalog_arrived(s->catalog, instance, tools);
	if (!catalog_renew(s->catalog) || !s->greeted)
		return;
	strbuf_add(
		&b,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	mcp_notify(s, NULL, &b);
}

void mcp_stop_input(struct mcp_server *s)
{
	if (s->web)
		mcp_http_close(s->web);
	else if (s->is_file)
		uv_idle_stop(&s->file);
	else
		uv_poll_stop(&s->in);
}

void mcp_close_handles(struct mcp_server *s)
{
	uv_handle_t *in = s->is_file ? (uv_handle_t *)&s->file : (uv_handle_t *)&s->in;
	uv_handle_t *handles[] = { (uv_handle_t *)&s->timer, (uv_handle_t *)&s->ask_timer,
				   (uv_handle_t *)&s->signals[0],
				   (uv_handle_t *)&s->signals[1],
				   (uv_handle_t *)&s->signals[2] };

	if (s->web)
		mcp_http_close(s->web);
	else if (!uv_is_closing(in))
		uv_close(in, NULL);
	mcp_subscriptions_close(s);
	for (size_t i = 0; i < ARRAY_LEN(handles); i++)
		if (!uv_is_closing(handles[i]))
			uv_close(handles[i], NULL);
}

static void calls_on_closed(void *arg, const struct error *why)
{
	struct mcp_server *s = arg;

	if (!s->ended) {
		fprintf(stderr, "mortise: the runner exited: %s\n", why->text);
		s->code = EXIT_TOOL;
		mcp_stop_input(s);
	}
	s->link = NULL;
	for (struct mcp_call *c = s->calls; c; c = c->next)
		http_requests_clear(&c->http);
	mcp_close_handles(s);
}

const struct runner_events mcp_runner_events = {
	.ready = mcp_calls_on_ready,
	.tools = mcp_calls_on_tools,
	.result = calls_on_result,
	.output = mcp_calls_on_output,
	.progress = mcp_calls_on_progress,
	.request = mcp_calls_on_request,
	.log = mcp_calls_on_log,
	.closed = calls_on_closed,
};

void mcp_forget_client(struct mcp_server *s, struct mcp_client *p)
{
	for (struct mcp_call *c = s->calls; c; c = c->next)
		if (c->peer == p) {
			c->peer = NULL;
			if (s->link)
				runner_cancel(s->link, c->number);
		}
}
