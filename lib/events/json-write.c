/* SPDX-License-Identifier: MIT
 *
 * json-write.c - writes a JSON value directly into a buffer.
 *
 * json-c keeps a copy of the text in each object that it prints. Events stay in memory
 * for a while, so they are written here instead. */
#include "events/event-internal.h"

#include <inttypes.h>

static int write_object(struct strbuf *out, json_object *value,
			const struct write_hook *hook)
{
	strbuf_addc(out, '{');
	json_object_object_foreach(value, name, member) {
		js_key(out, name);
		json_write(out, member, hook);
	}
	return strbuf_addc(out, '}');
}

static int json_write_list(struct strbuf *out, json_object *value,
			   const struct write_hook *hook)
{
	size_t count = json_object_array_length(value);

	strbuf_addc(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_addc(out, ',');
		json_write(out, json_object_array_get_idx(value, i), hook);
	}
	return strbuf_addc(out, ']');
}

static int write_int(struct strbuf *out, json_object *value)
{
	int64_t number = json_object_get_int64(value);

	if (number == INT64_MAX) /* the number may be larger */
		return strbuf_addf(out, "%" PRIu64, json_object_get_uint64(value));
	return strbuf_addf(out, "%" PRId64, number);
}

static int sticky(struct strbuf *out, int status)
{
	if (status && !out->error)
		out->error = status;
	return out->error;
}

int json_write(struct strbuf *out, json_object *value, const struct write_hook *hook)
{
	bool done = false;
	const char *text;
	size_t len;

	switch (json_object_get_type(value)) {
	case json_type_null:
		return strbuf_add(out, "null");
	case json_type_boolean:
		return strbuf_add(out, json_object_get_boolean(value) ? "true" : "false");
	case json_type_int:
		return write_int(out, value);
	case json_type_string:
		text = json_object_get_string(value);
		len = (size_t)json_object_get_string_len(value);
		if (hook && sticky(out, hook->text(hook->arg, out, text, len, &done)))
			return out->error;
		return done ? out->error : js_put_str(out, text, len);
	case json_type_object:
		if (js_failed(value) && sticky(out, MT_ENOMEM))
			return out->error;
		if (hook && sticky(out, hook->object(hook->arg, out, value, &done)))
			return out->error;
		return done ? out->error : write_object(out, value, hook);
	case json_type_array:
		if (js_failed(value) && sticky(out, MT_ENOMEM))
			return out->error;
		return json_write_list(out, value, hook);
	default:
		return js_put(out, value);
	}
}
