/* SPDX-License-Identifier: MIT
 *
 * message.c - parses lines from the host. */
#include "message.h"
#include <string.h>

static const struct {
	const char *method;
	enum message_kind kind;
	bool request;        /* has an id, and is answered */
	const char *about;   /* the param that names the call */
} methods[] = {
	{ "hello", MESSAGE_HELLO, true, NULL },
	{ "attach", MESSAGE_ATTACH, true, NULL },
	{ "tools/call", MESSAGE_CALL, true, NULL },
	{ "tools/preview", MESSAGE_PREVIEW, true, NULL },
	{ "tools/list", MESSAGE_LIST, true, NULL },
	{ "notifications/cancelled", MESSAGE_CANCELLED, false, "requestId" },
	{ "notifications/input", MESSAGE_INPUT, false, "requestId" },
	{ "notifications/ack", MESSAGE_ACK, false, "requestId" },
	{ "notifications/piece", MESSAGE_PIECE, false, "request" },
	{ "notifications/window", MESSAGE_WINDOW, false, NULL },
};

static int copy_id(json_object *id, struct message *m, struct error *err)
{
	const char *text;
	size_t len;

	if (!id || !(json_object_is_type(id, json_type_int) ||
		     json_object_is_type(id, json_type_string)))
		return fail(err, MT_EINVAL, "an id must be an integer or a string");
	text = js_text(id, &len);
	if (!text)
		return out_of_memory(err);
	if (len >= sizeof m->id)
		return fail(err, MT_ELIMIT, "an id must have at most %d bytes",
			    MESSAGE_ID_MAX - 1);
	memcpy(m->id, text, len + 1);
	return MT_OK;
}

static int runner_message_read_method(struct message *m, struct error *err)
{
	json_object *id = js_get(m->doc, "id");

	m->kind = MESSAGE_UNKNOWN;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (strcmp(methods[i].method, m->method) != 0)
			continue;
		m->kind = methods[i].kind;
		if (methods[i].about)
			return copy_id(js_get(m->params, methods[i].about), m, err);
		if (methods[i].request)
			return copy_id(id, m, err);
		return MT_OK;
	}
	return id ? copy_id(id, m, err) : MT_OK;
}

static int runner_message_read_answer(struct message *m, struct error *err)
{
	m->kind = MESSAGE_ANSWER;
	if (!js_get(m->doc, "result") && !js_get(m->doc, "error"))
		return fail(err, MT_EINVAL, "neither method nor result nor error");
	return copy_id(js_get(m->doc, "id"), m, err);
}

int message_read(const char *line, size_t len, struct message *ret, struct error *err)
{
	json_object *params;
	int status;

	*ret = (struct message){ .doc = js_parse_object(line, len, err) };
	if (!ret->doc)
		return err && err->code ? err->code : MT_EINVAL;
	params = js_get(ret->doc, "params");
	if (json_object_is_type(params, json_type_object))
		ret->params = params;
	ret->method = js_str(ret->doc, "method", NULL);
	status = ret->method ? runner_message_read_method(ret, err)
			     : runner_message_read_answer(ret, err);
	if (status)
		message_clear(ret);
	return status;
}

void message_clear(struct message *m)
{
	json_object_put(m->doc);
	*m = (struct message){ 0 };
}
