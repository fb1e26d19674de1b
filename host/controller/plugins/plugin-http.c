/* SPDX-License-Identifier: MIT
 *
 * plugin-http.c - performs the HTTP requests of agents and condensers.
 *
 * A step that is repeated, after a pause, a failure or a crash, makes its requests again.
 * Therefore the log has those of the step in progress, as a state record: a request is
 * written before it is sent, and its result before the plugin gets it. A request that is in
 * the record with its result is not sent again. One without a result is sent again only if
 * that is harmless; otherwise the plugin learns, once, that the request may have had an
 * effect. The record belongs to one step: see scope_of. */
#include "controller/plugins/plugin-http.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/model-request.h"
#include "digest.h"
#include "llm/transport/http-exchange.h"

#include <inttypes.h>
#include <string.h>

enum {
	REQUESTS_MAX = 32,            /* of one step */
	ENTRIES_MAX = 256,            /* of all attempts of a step */
	RESPONSE_DEFAULT = 2 << 20,
	RESPONSE_MAX = 16 << 20,
	HEADERS_TEXT_MAX = 1 << 20, /* of a response */
	MASKED_MAX = 256 << 20,
	SECTION_MAX = 256,
};

struct plugin_http {
	struct llm_pool *pool;
	struct http_exchange *exchange; /* NULL: none in progress */
	plugin_http_done_fn *done;
	json_object *record; /* of the step, while a request is open */
	json_object *entry;  /* of the request, in the record */
};

/* ---- results ----------------------------------------------------------------- */

static struct mt_str plugin_http_text_of(json_object *o, const char *name)
{
	json_object *text = js_get(o, name);

	if (!json_object_is_type(text, json_type_string))
		return (struct mt_str){ "", 0 };
	return (struct mt_str){ json_object_get_string(text),
				(size_t)json_object_get_string_len(text) };
}

void plugin_http_input(struct plugin_http_input *ret, json_object *json)
{
	*ret = (struct plugin_http_input){ .json = json };
	ret->result = (struct mt_http_result){
		.size = sizeof ret->result,
		.error = (int32_t)js_int(json, "error", MT_OK),
		.status = (uint32_t)js_int(json, "status", 0),
		.headers = plugin_http_text_of(json, "headers"),
		.body = js_str(json, "body", ""),
		.body_len = (uint64_t)js_int(json, "body_len", 0),
		.reason = plugin_http_text_of(json, "reason"),
	};
	ret->in = (struct mt_in){ .size = sizeof ret->in, .what = MT_HTTP_DONE,
				  .effect = 1, .http = &ret->result };
}

json_object *plugin_http_result_json(const struct mt_http_result *result)
{
	json_object *json = js_new_object();

	js_set_int(json, "error", result->error);
	js_set_int(json, "status", result->status);
	js_set_strn(json, "headers", result->headers.ptr, result->headers.len);
	js_set_str(json, "body", result->body);
	js_set_int(json, "body_len", (int64_t)result->body_len);
	js_set_strn(json, "reason", result->reason.ptr, result->reason.len);
	return json;
}

static json_object *plugin_http_failed(int status, const char *reason)
{
	const struct mt_http_result result = {
		.error = status, .body = "", .headers = { "", 0 },
		.reason = { reason, strlen(reason) },
	};

	return plugin_http_result_json(&result);
}

/* ---- requests ----------------------------------------------------------------- */

/* Append "Name: value" lines. */
static int plugin_http_put_lines(json_object *headers, struct mt_str lines,
				 struct error *err)
{
	const char *line = lines.ptr, *end = lines.ptr + lines.len;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((next ? next : end) - line);
		const char *colon = memchr(line, ':', len);
		AUTO(free) char *name = NULL;

		if (!colon || memchr(line, '\0', len))
			return fail(err, MT_EINVAL, "a header is not `Name: value`");
		name = strndup(line, (size_t)(colon - line));
		len -= (size_t)(colon + 1 - line);
		while (len && colon[1] == ' ')
			colon++, len--;
		if (!name || js_set_strn(headers, name, colon + 1, len))
			return out_of_memory(err);
		line = next ? next + 1 : end;
	}
	return MT_OK;
}

static int plugin_http_put_body(struct mt_ctx *x, json_object *params,
				const struct mt_http_request *request)
{
	AUTO(free) char *bytes = NULL;
	size_t len = 0;

	if (!request->body_blob)
		return request->body.ptr ? js_set_bytes(params, "body", request->body.ptr,
							request->body.len)
					 : MT_OK;
	if (evlog_blob_read(x->c->log, request->body_blob, HTTP_BODY_MAX, &bytes, &len,
			    NULL, &x->error))
		return x->error.code;
	return js_set_bytes(params, "body", bytes, len);
}

int plugin_http_request(struct mt_ctx *x, const struct mt_http_request *request)
{
	AUTO(json) json_object *params = js_new_object();
	json_object *headers = js_new_object();

	js_set(params, "headers", headers);
	js_set_str(params, "url", request->url ? request->url : "");
	if (request->method)
		js_set_str(params, "method", request->method);
	js_set_bool(params, "repeatable", request->flags & MT_HTTP_REPEATABLE);
	if (request->timeout_ms)
		js_set_int(params, "timeout_ms", request->timeout_ms);
	if (request->max_bytes)
		js_set_int(params, "max_bytes",
			   request->max_bytes < RESPONSE_MAX ? (int64_t)request->max_bytes
							     : RESPONSE_MAX);
	if (plugin_http_put_lines(headers, request->headers, &x->error) ||
	    plugin_http_put_body(x, params, request))
		return x->error.code ? x->error.code : out_of_memory(&x->error);
	return plugin_http_set(x, STEAL(params));
}

/* The agent or condenser of a work, as a sender of requests. `section`: SECTION_MAX bytes */
static struct http_sender sender_of(const struct mt_ctx *x, char *section)
{
	snprintf(section, SECTION_MAX, "%s.%.200s", kind_name(x->part->component->kind),
		 x->part->name);
	return (struct http_sender){
		.loop = x->c->loop, .config = x->c->config,
		.component = x->part->component, .section = section,
		.noun = x->is_agent ? "the agent" : "the condenser",
	};
}

static size_t plugin_http_count_of(json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

int plugin_http_set(struct mt_ctx *x, json_object *params)
{
	char section[SECTION_MAX];
	const struct http_sender sender = sender_of(x, section);
	int r = js_incomplete(params) ? out_of_memory(&x->error)
				      : http_exchange_check(&sender, params, &x->error);

	if (!r && x->is_agent && x->replied)
		r = fail(&x->error, MT_EUNSUPPORTED,
			 "an agent cannot send an HTTP request after a reply of its "
			 "model");
	if (!r && plugin_http_count_of(x->http_made) >= REQUESTS_MAX)
		r = fail(&x->error, MT_ELIMIT, "a step can send at most %d HTTP requests",
			 REQUESTS_MAX);
	if (r) {
		json_object_put(params);
		return r;
	}
	json_object_put(x->http);
	x->http = params;
	x->sent = false;
	return MT_OK;
}

/* ---- the record of the step ------------------------------------------------------ */

/* Identify the step by the log before it: replies and actions of an agent end steps. */
static void scope_of(const struct conversation *c, char ret[64])
{
	int64_t id = evlog_count(c->log) - 1;

	for (; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);

		if (!head->undone && head->type->is_action &&
		    head->source == SOURCE_AGENT)
			break;
	}
	snprintf(ret, 64, "%" PRId64 " %" PRId64, evlog_replies(c->log), id);
}

/* The record, owned; a new one if that of the log belongs to an earlier step. */
static json_object *read_record(struct conversation *c)
{
	size_t len = 0;
	const char *text = evlog_state(c->log, PLUGIN_HTTP_RECORD, &len);
	json_object *record = text ? js_parse_object(text, len, NULL) : NULL;
	char scope[64];

	scope_of(c, scope);
	if (record && strcmp(js_str(record, "scope", ""), scope) == 0 &&
	    json_object_is_type(js_get(record, "requests"), json_type_array))
		return record;
	json_object_put(record);
	record = js_new_object();
	js_set_str(record, "scope", scope);
	js_set(record, "requests", js_new_list());
	return record;
}

static int plugin_http_write_record(struct conversation *c, json_object *state,
				    struct error *err)
{
	AUTO(json) json_object *record = js_new_object();

	js_set_str(record, "record", "state");
	js_set_str(record, "plugin", PLUGIN_HTTP_RECORD);
	js_set_str(record, "text", js_text(state, NULL));
	return js_incomplete(record) ? out_of_memory(err)
				     : evlog_record(c->log, record, err);
}

/* A number of the request: of its sender and all that is sent, masked. */
static int digest_of(const struct mt_ctx *x, char ret[SHA256_HEX], struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(MASKED_MAX), shown = STRBUF(MASKED_MAX);
	struct mt_str body = plugin_http_text_of(x->http, "body");

	strbuf_addf(&text, "%s %s %s %s\n", x->part->name, js_str(x->http, "method", ""),
		    js_str(x->http, "url", ""), js_get(x->http, "body") ? "body" : "");
	js_put(&text, js_get(x->http, "headers"));
	strbuf_addn(&text, body.ptr, body.len);
	if (text.error || mask_put(x->c->mask, &shown, text.text, text.len))
		return out_of_memory(err);
	return digest_sha256_hex(shown.text, shown.len, ret)
		       ? fail(err, MT_EUNSUPPORTED, "libcrypto is not available")
		       : MT_OK;
}

/* How often the step has made this request so far. */
static size_t times_made(const struct mt_ctx *x, const char *digest)
{
	size_t times = 0;

	for (size_t i = 0; i < plugin_http_count_of(x->http_made); i++)
		times += strcmp(json_object_get_string(
					json_object_array_get_idx(x->http_made, i)),
				digest) == 0;
	return times;
}

/* The entry of the n-th request with this digest, borrowed; NULL: not found. */
static json_object *find_entry(json_object *record, const char *digest, size_t n)
{
	json_object *list = js_get(record, "requests");

	for (size_t i = 0; i < plugin_http_count_of(list); i++) {
		json_object *entry = json_object_array_get_idx(list, i);

		if (strcmp(js_str(entry, "digest", ""), digest) == 0 && n-- == 0)
			return entry;
	}
	return NULL;
}

static json_object *plugin_http_add_entry(const struct mt_ctx *x, json_object *record,
					  const char *digest)
{
	json_object *entry = js_new_object();

	js_set_str(entry, "plugin", x->part->name);
	js_set_str(entry, "method",
		   js_str(x->http, "method", js_get(x->http, "body") ? "POST" : "GET"));
	js_set_str(entry, "url", js_str(x->http, "url", ""));
	js_set_str(entry, "digest", digest);
	js_add(js_get(record, "requests"), entry);
	return entry;
}

static bool is_repeatable(const struct mt_ctx *x, json_object *entry)
{
	static const char *const methods[] = { "GET", "PUT", "DELETE" };

	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(js_str(entry, "method", ""), methods[i]) == 0)
			return true;
	return js_bool(x->http, "repeatable", false);
}

/* The result of an entry, borrowed; NULL: not recorded, or its body is lost. */
static json_object *result_of(struct conversation *c, json_object *entry)
{
	json_object *result = js_get(entry, "result");
	const char *body = js_str(result, "body", "");
	AUTO(free) char *bytes = NULL;
	size_t len;

	if (*body &&
	    evlog_blob_read(c->log, body, RESPONSE_MAX, &bytes, &len, NULL, NULL))
		return NULL;
	return result;
}

/* ---- performing --------------------------------------------------------------------- */

/* Append "name: value" lines. */
static int put_answer_headers(struct conversation *c, json_object *headers,
			      json_object *result)
{
	AUTO(strbuf) struct strbuf lines = STRBUF(HEADERS_TEXT_MAX);
	AUTO(strbuf) struct strbuf shown = STRBUF(MASKED_MAX);

	json_object_object_foreach(headers, name, value)
		strbuf_addf(&lines, "%s: %s\n", name, json_object_get_string(value));
	if (lines.error || mask_put(c->mask, &shown, lines.text, lines.len))
		return MT_ENOMEM;
	return js_set_strn(result, "headers", shown.text, shown.len);
}

/* Store the body as a blob of the log. */
static int put_answer_body(struct conversation *c, struct mt_str body,
			   json_object *result, struct error *err)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(MASKED_MAX);
	char name[SHA256_HEX];

	if (mask_put(c->mask, &shown, body.ptr ? body.ptr : "", body.len))
		return out_of_memory(err);
	if (!shown.len)
		return js_set_str(result, "body", "");
	if (evlog_blob(c->log, shown.text, shown.len, name, err))
		return err->code;
	js_set_int(result, "body_len", (int64_t)shown.len);
	return js_set_str(result, "body", name);
}

/* Log a response. @return the result for the plugin, owned. */
static json_object *log_answer(struct conversation *c, const struct http_answer *answer,
			       struct error *err)
{
	AUTO(json) json_object *result = js_new_object();

	js_set_int(result, "status", answer->status);
	if (put_answer_headers(c, answer->headers, result) ||
	    put_answer_body(c, answer->body, result, err) || js_incomplete(result)) {
		if (!err->code)
			out_of_memory(err);
		return NULL;
	}
	js_set(c->http->entry, "result", json_object_get(result));
	return plugin_http_write_record(c, c->http->record, err) ? NULL : STEAL(result);
}

static void forget_open(struct plugin_http *h)
{
	json_object_put(h->record);
	h->record = h->entry = NULL;
	h->exchange = NULL;
}

static void plugin_http_on_answer(void *arg, const struct http_answer *answer,
				  const struct error *error)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	struct conversation *c = arg;
	struct error err = ERROR_NONE;
	AUTO(json) json_object *result =
		answer ? log_answer(c, answer, &err)
		       : plugin_http_failed(error->code,
					    mask_text(c->mask, error->text, &shown));

	forget_open(c->http);
	if (!result)
		result = plugin_http_failed(err.code,
					    mask_text(c->mask, err.text, &shown));
	c->http->done(c, result);
}

static int need_http(struct conversation *c, struct error *err)
{
	if (!c->http)
		c->http = calloc(1, sizeof *c->http);
	return c->http ? MT_OK : out_of_memory(err);
}

/* Send the request, which is in the log. */
static int plugin_http_send_request(struct conversation *c, struct mt_ctx *x,
				    struct error *err)
{
	AUTO(json) json_object *params = STEAL(x->http);
	char section[SECTION_MAX];
	const struct http_sender sender = sender_of(x, section);
	int64_t most = js_int(params, "max_bytes", RESPONSE_DEFAULT);
	int r;

	if (most < 1 || most > RESPONSE_MAX)
		most = RESPONSE_MAX; /* a value from a forked copy is untrusted */
	if (!request_keep(c, x))
		return out_of_memory(err);
	r = http_exchange_start(&c->http->pool, &sender, params, (size_t)most,
				plugin_http_on_answer, c, &c->http->exchange, err);
	if (r)
		request_clear(c);
	return r;
}

/* A request whose result is lost, and which must not be sent again without the plugin's
 * knowledge, which learns of it once. */
static json_object *report_lost(struct conversation *c, json_object *record,
				json_object *entry, struct error *err)
{
	js_set_bool(entry, "reported", true);
	js_set_str(entry, "digest", "");
	return plugin_http_write_record(c, record, err)
		       ? NULL
		       : plugin_http_failed(
				 MT_ECANCELLED,
				 "the request was sent before, and its response was lost: "
				 "it may have had its effect");
}

int plugin_http_perform(struct conversation *c, struct mt_ctx *x,
			plugin_http_done_fn *done, json_object **ret_logged,
			struct error *err)
{
	AUTO(json) json_object *record = read_record(c);
	json_object *entry, *result;
	char digest[SHA256_HEX];
	int r = need_http(c, err);

	*ret_logged = NULL;
	if (r || digest_of(x, digest, err))
		return err->code;
	entry = find_entry(record, digest, times_made(x, digest));
	result = entry ? result_of(c, entry) : NULL;
	if (!x->http_made)
		x->http_made = json_object_new_array();
	if (js_add_new(x->http_made, json_object_new_string(digest)))
		return out_of_memory(err);
	if (result || (entry && !is_repeatable(x, entry))) {
		*ret_logged = result ? json_object_get(result)
				     : report_lost(c, record, entry, err);
		json_object_put(x->http);
		x->http = NULL;
		return err->code;
	}
	if (!entry && plugin_http_count_of(js_get(record, "requests")) >= ENTRIES_MAX)
		return fail(err, MT_ELIMIT,
			    "a step was repeated with too many different "
			    "HTTP requests");
	if (!entry)
		entry = plugin_http_add_entry(x, record, digest);
	r = js_incomplete(record) ? out_of_memory(err)
				  : plugin_http_write_record(c, record, err);
	if (!r)
		r = conversation_barrier(c, err);
	if (r)
		return r;
	c->http->done = done;
	c->http->record = STEAL(record);
	c->http->entry = entry;
	r = plugin_http_send_request(c, x, err);
	if (r)
		forget_open(c->http);
	return r;
}

void plugin_http_cancel(struct conversation *c)
{
	if (!c->http || !c->http->exchange)
		return;
	http_exchange_cancel(c->http->exchange);
	forget_open(c->http);
}

void plugin_http_release(struct conversation *c)
{
	plugin_http_cancel(c);
	if (c->http)
		llm_pool_free(c->http->pool);
	free(c->http);
	c->http = NULL;
}
