/* SPDX-License-Identifier: MIT
 *
 * rpc.c - JSON-RPC messages. */
#include "rpc.h"
#include <string.h>

static bool rpc_is_id(json_object *o)
{
	return json_object_is_type(o, json_type_int) ||
	       json_object_is_type(o, json_type_string);
}

/* @return false if it is not a message. */
static bool rpc_take(json_object *doc, struct rpc *m)
{
	json_object *error = js_get(doc, "error"), *result = NULL;
	bool has;

	*m = (struct rpc){ .doc = doc, .id = js_get(doc, "id"), .number = -1 };
	if (!json_object_is_type(doc, json_type_object))
		return false;
	if (json_object_is_type(m->id, json_type_int))
		m->number = json_object_get_int64(m->id);
	m->method = js_str(doc, "method", NULL);
	m->params = js_get(doc, "params");
	if (!json_object_is_type(m->params, json_type_object))
		m->params = NULL;
	if (m->method) {
		m->kind = m->id ? RPC_REQUEST : RPC_NOTIFICATION;
		return !m->id || rpc_is_id(m->id);
	}
	if (json_object_is_type(error, json_type_object)) {
		m->kind = RPC_ERROR;
		m->body = error;
		return true;
	}
	m->kind = RPC_RESULT;
	has = json_object_object_get_ex(doc, "result", &result);
	if (json_object_is_type(result, json_type_object))
		m->body = result;
	return rpc_is_id(m->id) && (has || json_object_object_get_ex(doc, "error", NULL));
}

int rpc_read(const char *text, size_t len, void (*on)(const struct rpc *m, void *arg),
	     void *arg, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *doc = js_parse(text, len, &why);
	struct rpc m;

	if (why.code)
		return fail(err, why.code, "%s", why.text);
	if (json_object_is_type(doc, json_type_array)) {
		size_t n = json_object_array_length(doc);

		for (size_t i = 0; i < n && i < RPC_BATCH_MAX; i++)
			if (rpc_take(json_object_array_get_idx(doc, i), &m))
				on(&m, arg);
		return MT_OK;
	}
	if (!rpc_take(doc, &m))
		return fail(err, MT_EINVAL, "not a JSON-RPC message");
	on(&m, arg);
	return MT_OK;
}

static void message_begin(struct strbuf *b, json_object *id)
{
	strbuf_add(b, "{\"jsonrpc\":\"2.0\"");
	if (id) {
		js_key(b, "id");
		js_put(b, id);
	}
}

static int message_end(struct strbuf *b, const char *method, json_object *params)
{
	js_key_str(b, "method", method);
	if (params) {
		js_key(b, "params");
		js_put(b, params);
	}
	return strbuf_addc(b, '}');
}

int rpc_request(struct strbuf *b, int64_t id, const char *method, json_object *params)
{
	message_begin(b, NULL);
	js_key_int(b, "id", id);
	return message_end(b, method, params);
}

int rpc_notification(struct strbuf *b, const char *method, json_object *params)
{
	message_begin(b, NULL);
	return message_end(b, method, params);
}

int rpc_result(struct strbuf *b, json_object *id, json_object *result)
{
	message_begin(b, id);
	js_key(b, "result");
	js_put(b, result);
	return strbuf_addc(b, '}');
}

int rpc_refusal(struct strbuf *b, json_object *id, int code, const char *text)
{
	message_begin(b, id);
	js_key(b, "error");
	strbuf_addc(b, '{');
	js_key_int(b, "code", code);
	js_key_str(b, "message", text);
	return strbuf_add(b, "}}");
}

void rpc_error_text(json_object *error, struct error *ret)
{
	fail(ret, MT_EIO, "%.400s (error %lld)",
	     js_str(error, "message", "the server gave no reason"),
	     (long long)js_int(error, "code", 0));
}

bool rpc_list_has(json_object *array, const char *text, bool missing)
{
	size_t n;

	if (!json_object_is_type(array, json_type_array))
		return missing;
	n = json_object_array_length(array);
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(array, i);

		if (json_object_is_type(one, json_type_string) &&
		    strcmp(json_object_get_string(one), text) == 0)
			return true;
	}
	return false;
}
