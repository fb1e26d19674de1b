/* SPDX-License-Identifier: MIT
 *
 * format-call.c - formats one call as text. */
#include "events/event.h"
#include "fncall/fncall.h"
#include "literal.h"
#include "utf8.h"
#include <string.h>

/* A JSON string in ASCII: other characters are escaped, above U+FFFF in two. */
static void put_ascii(struct strbuf *out, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf escaped = STRBUF(out->max);

	js_put_str(&escaped, text, len);
	for (size_t i = 0; i < escaped.len;) {
		bool valid;
		size_t n = utf8_next(escaped.text + i, escaped.len - i, &valid);
		uint32_t c = utf8_code(escaped.text + i, n);

		if (c < 0x80)
			strbuf_addc(out, (char)c);
		else if (c < 0x10000)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_addf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				    0xdc00 + ((c - 0x10000) & 0x3ff));
		i += n;
	}
	if (escaped.error && !out->error)
		out->error = escaped.error;
}

/* JSON with a space after each comma and colon. */
static void format_json_value(struct strbuf *out, json_object *value)
{
	bool first = true;

	switch (json_object_get_type(value)) {
	case json_type_string:
		put_ascii(out, json_object_get_string(value),
			  (size_t)json_object_get_string_len(value));
		return;
	case json_type_array:
		strbuf_addc(out, '[');
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			if (i)
				strbuf_add(out, ", ");
			format_json_value(out, json_object_array_get_idx(value, i));
		}
		strbuf_addc(out, ']');
		return;
	case json_type_object:
		strbuf_addc(out, '{');
		json_object_object_foreach(value, name, member) {
			if (!first)
				strbuf_add(out, ", ");
			first = false;
			put_ascii(out, name, strlen(name));
			strbuf_add(out, ": ");
			format_json_value(out, member);
		}
		strbuf_addc(out, '}');
		return;
	default:
		js_put(out, value);
	}
}

/* The parser removes a newline at each end of a text that starts and ends on its own
 * line: add one. */
static void format_text(struct strbuf *out, const char *text, size_t len)
{
	bool lines = len >= 2 && text[0] == '\n' && text[len - 1] == '\n';

	if (lines)
		strbuf_addc(out, '\n');
	strbuf_addn(out, text, len);
	if (lines)
		strbuf_addc(out, '\n');
}

static void format_value(struct strbuf *out, json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_string:
		format_text(out, json_object_get_string(value),
			    (size_t)json_object_get_string_len(value));
		return;
	case json_type_array:
	case json_type_object:
		format_json_value(out, value);
		return;
	default:
		literal_put(out, value);
	}
}

int fncall_format_call(const struct llm_call *call, struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *args = NULL;

	if (!call->name)
		return fail(err, MT_EINVAL, "a tool call has no function");
	if (!call->id)
		return fail(err, MT_EINVAL, "a tool call has no id");
	strbuf_addf(out, "<function=%s>\n", call->name);
	if (call->args_len)
		args = js_parse_object(call->args, call->args_len, NULL);
	if (args) {
		json_object_object_foreach(args, name, value) {
			strbuf_addf(out, "<parameter=%s>", name);
			format_value(out, value);
			strbuf_add(out, "</parameter>\n");
		}
	} else if (call->args_len) {
		strbuf_add(out, "<parameter=arguments>");
		strbuf_addn(out, call->args, call->args_len);
		strbuf_add(out, "</parameter>\n");
	}
	if (strbuf_add(out, "</function>"))
		return fail(err, out->error, "a tool call is too long");
	return MT_OK;
}
