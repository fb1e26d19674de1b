/* SPDX-License-Identifier: MIT
 *
 * show.c - converts messages to text and images. */
#include "show.h"
#include "base64.h"
#include "kernel.h"
#include <string.h>

enum { IMAGE_MAX = 12 << 20 }; /* bytes */

static const char *const image_types[] = { "image/png", "image/jpeg", "image/gif",
					   "image/webp" };
static const char *const text_types[] = { "text/plain", "text/markdown", "text/latex",
					  "text/html", "image/svg+xml",
					  "application/json" };

static void ipython_show_put_block(const struct cell_events *e, void *arg,
				   const char *text, size_t len)
{
	if (e && e->block && len)
		e->block(arg, text, len);
}

/* Text of a bundle: a string, or a list of lines as in notebooks, or JSON. */
static void show_put_value(const struct cell_events *e, void *arg, json_object *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(KERNEL_MESSAGE_MAX);
	size_t len;

	if (json_object_is_type(value, json_type_string)) {
		ipython_show_put_block(e, arg, json_object_get_string(value),
				       (size_t)json_object_get_string_len(value));
		return;
	}
	if (!json_object_is_type(value, json_type_array)) {
		const char *json = js_text(value, &len);

		ipython_show_put_block(e, arg, json, json ? len : 0);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		json_object *line = json_object_array_get_idx(value, i);

		if (json_object_is_type(line, json_type_string))
			strbuf_addn(&text, json_object_get_string(line),
				    (size_t)json_object_get_string_len(line));
	}
	ipython_show_put_block(e, arg, text.text, text.len);
}

/* Kernels break base64 into lines. */
static bool show_decode(json_object *value, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf tight = STRBUF(KERNEL_MESSAGE_MAX);
	const char *text = json_object_get_string(value);
	size_t len = (size_t)json_object_get_string_len(value);

	for (size_t i = 0, n; i < len; i += n + strspn(text + i + n, " \r\n\t")) {
		n = strcspn(text + i, " \r\n\t");
		strbuf_addn(&tight, text + i, n);
		if (i + n >= len)
			break;
	}
	return !tight.error && tight.len &&
	       base64_read(out, tight.text, tight.len) == MT_OK;
}

static bool put_image(const struct cell_events *e, void *arg, json_object *data)
{
	for (size_t i = 0; e && e->image && i < ARRAY_LEN(image_types); i++) {
		json_object *value = js_get(data, image_types[i]);
		AUTO(strbuf) struct strbuf bytes = STRBUF(IMAGE_MAX);

		if (!json_object_is_type(value, json_type_string) ||
		    !show_decode(value, &bytes))
			continue;
		e->image(arg, image_types[i], bytes.text, bytes.len);
		return true;
	}
	return false;
}

static void put_bundle(const struct cell_events *e, void *arg, json_object *data)
{
	if (put_image(e, arg, data))
		return;
	for (size_t i = 0; i < ARRAY_LEN(text_types); i++) {
		json_object *value = js_get(data, text_types[i]);

		if (value) {
			show_put_value(e, arg, value);
			return;
		}
	}
}

static void put_error(const struct cell_events *e, void *arg, json_object *content)
{
	AUTO(strbuf) struct strbuf text = STRBUF(KERNEL_MESSAGE_MAX);
	json_object *lines = js_get(content, "traceback");
	size_t count = js_length(lines);

	for (size_t i = 0; i < count; i++) {
		json_object *line = json_object_array_get_idx(lines, i);

		if (json_object_is_type(line, json_type_string))
			strbuf_addf(&text, "%s%s", text.len ? "\n" : "",
				    json_object_get_string(line));
	}
	if (!text.len)
		strbuf_addf(&text, "%s: %s", js_str(content, "ename", "error"),
			    js_str(content, "evalue", ""));
	ipython_show_put_block(e, arg, text.text, text.len);
}

static void show_stream(const struct cell_events *e, void *arg, json_object *content)
{
	json_object *text = js_get(content, "text");

	if (e && e->text && json_object_is_type(text, json_type_string))
		e->text(arg, json_object_get_string(text),
			(size_t)json_object_get_string_len(text));
}

static void show_data(const struct cell_events *e, void *arg, json_object *content)
{
	put_bundle(e, arg, js_get(content, "data"));
}

static void show_clear(const struct cell_events *e, void *arg, json_object *content)
{
	(void)content;
	if (e && e->clear)
		e->clear(arg);
}

void show_message(const char *type, json_object *content, const struct cell_events *e,
		  void *arg)
{
	static const struct {
		const char *name;
		void (*put)(const struct cell_events *e, void *arg, json_object *content);
	} types[] = {
		{ "stream", show_stream },	       { "execute_result", show_data },
		{ "display_data", show_data },	       { "update_display_data", show_data },
		{ "error", put_error },		       { "clear_output", show_clear },
	};
	__auto_type row = ROW_NAMED(types, type);

	if (row)
		row->put(e, arg, content);
}

void show_payload(json_object *content, const struct cell_events *e, void *arg)
{
	json_object *list = js_get(content, "payload");
	size_t count = js_length(list);

	for (size_t i = 0; i < count; i++) {
		json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(js_str(one, "source", ""), "page") == 0)
			put_bundle(e, arg, js_get(one, "data"));
	}
}
