/* SPDX-License-Identifier: MIT
 *
 * result.c - converts content from a server to text and media of a call. */
#include "result.h"
#include "base64.h"
#include "schema.h"
#include <string.h>

enum { MEDIUM_MAX = 12 << 20, SPOOL_FROM = 64 << 10 };

/* The destination of one result. */
struct out {
	const struct mt_tool_host *host;
	struct mt_call *call;
	bool begun;
};

static void result_put_text(struct out *o, const char *text, size_t len)
{
	if (o->begun)
		o->host->reply_text(o->call, "\n", 1);
	o->begun = true;
	o->host->reply_text(o->call, text, len);
	if (len > SPOOL_FROM)
		o->host->spool(o->call, text, len);
}

static void mcp_result_put_member(struct out *o, json_object *item, const char *name)
{
	json_object *text = js_get(item, name);

	if (json_object_is_type(text, json_type_string))
		result_put_text(o, json_object_get_string(text),
				(size_t)json_object_get_string_len(text));
}

static void result_put_line(struct out *o, const char *fmt, ...) MT_PRINTF(2, 3);
static void result_put_line(struct out *o, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf b = STRBUF(64 << 10);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	result_put_text(o, b.text, b.len);
}

static void mcp_result_put_medium(struct out *o, json_object *item, const char *member)
{
	const char *mime = js_str(item, "mimeType", "application/octet-stream");
	const char *data = js_str(item, member, "");
	AUTO(strbuf) struct strbuf bytes = STRBUF(MEDIUM_MAX);
	int status = base64_read(&bytes, data, strlen(data));

	if (!status)
		status = o->host->reply_media(o->call, mime, bytes.text, bytes.len);
	if (status == MT_EINVAL)
		result_put_line(o, "[%.100s was omitted: its base64 is invalid]", mime);
	else if (status)
		result_put_line(o,
				"[%.100s of %zu characters was omitted: it is too large]",
				mime, strlen(data));
	else if (strncmp(mime, "image/", 6) != 0)
		result_put_line(o, "[%.100s, %zu byte%s]", mime, bytes.len,
				bytes.len == 1 ? "" : "s");
}

static void put_contents(struct out *o, json_object *resource)
{
	const char *uri = js_str(resource, "uri", "");

	if (*uri)
		result_put_line(o, "[%.2000s]", uri);
	if (js_get(resource, "text"))
		mcp_result_put_member(o, resource, "text");
	else
		mcp_result_put_medium(o, resource, "blob");
}

static void put_link(struct out *o, json_object *item)
{
	result_put_line(o, "[resource %.2000s: %.500s%s%.2000s]", js_str(item, "uri", ""),
			js_str(item, "name", ""), js_get(item, "description") ? ", " : "",
			js_str(item, "description", ""));
}

static void result_item_text(struct out *o, json_object *item)
{
	mcp_result_put_member(o, item, "text");
}

static void result_item_data(struct out *o, json_object *item)
{
	mcp_result_put_medium(o, item, "data");
}

static void result_item_resource(struct out *o, json_object *item)
{
	put_contents(o, js_get(item, "resource"));
}

static void mcp_result_put_item(struct out *o, json_object *item)
{
	static const struct {
		const char *name;
		void (*put)(struct out *o, json_object *item);
	} types[] = {
		{ "text", result_item_text },         { "image", result_item_data },
		{ "audio", result_item_data },        { "resource", result_item_resource },
		{ "resource_link", put_link },
	};
	const char *type = js_str(item, "type", "");
	__auto_type row = ROW_NAMED(types, type);

	if (row)
		row->put(o, item);
	else
		result_put_line(o, "[content of unknown type `%.60s` was omitted]", type);
}

int result_put_tool(const struct mt_tool_host *host, struct mt_call *call,
		    const struct offer *f, json_object *result)
{
	struct out o = { host, call, false };
	json_object *list = js_get(result, "content"), *structured = NULL;
	struct error why = ERROR_NONE;
	bool has = json_object_object_get_ex(result, "structuredContent", &structured);
	bool failed = js_bool(result, "isError", false);

	for (size_t i = 0; i < js_length(list); i++)
		mcp_result_put_item(&o, json_object_array_get_idx(list, i));
	if (has && !o.begun) {
		size_t len;
		const char *text = js_text(structured, &len);

		if (text)
			result_put_text(&o, text, len);
	}
	if (failed)
		return host->fail(call, MT_EIO,
				  o.begun ? "(The tool reported this as an error.)"
					  : "The tool failed and gave no reason.");
	if (f->output && !has)
		return host->fail(
			call, MT_EIO,
			"(The result lacks the structured content that the tool "
			"declares.)");
	if (f->output && schema_check(f->output, structured, &why))
		return host->fail(
			call, MT_EIO,
			"(The structured result does not match the tool's output "
			"schema: %s)",
			why.text);
	return MT_OK;
}

int result_put_resource(const struct mt_tool_host *host, struct mt_call *call,
			json_object *result)
{
	struct out o = { host, call, false };
	json_object *list = js_get(result, "contents");

	for (size_t i = 0; i < js_length(list); i++)
		put_contents(&o, json_object_array_get_idx(list, i));
	if (!o.begun)
		result_put_line(&o, "The resource is empty.");
	return MT_OK;
}

int result_put_prompt(const struct mt_tool_host *host, struct mt_call *call,
		      json_object *result)
{
	struct out o = { host, call, false };
	json_object *list = js_get(result, "messages");

	if (*js_str(result, "description", ""))
		mcp_result_put_member(&o, result, "description");
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *message = json_object_array_get_idx(list, i);

		result_put_line(&o, "%.20s:", js_str(message, "role", "user"));
		mcp_result_put_item(&o, js_get(message, "content"));
	}
	return MT_OK;
}

void result_put_resources(const struct mt_tool_host *host, struct mt_call *call,
			  json_object *list, const char *uri)
{
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);

		host->reply(call, "%.2000s  %.300s%s%.1000s\n", js_str(one, uri, ""),
			    js_str(one, "name", ""),
			    js_get(one, "description") ? ": " : "",
			    js_str(one, "description", ""));
	}
}

void result_put_prompts(const struct mt_tool_host *host, struct mt_call *call,
			json_object *list)
{
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);
		json_object *arguments = js_get(one, "arguments");

		host->reply(call, "%.300s%s%.1000s\n", js_str(one, "name", ""),
			    js_get(one, "description") ? ": " : "",
			    js_str(one, "description", ""));
		for (size_t k = 0; k < js_length(arguments); k++) {
			json_object *a = json_object_array_get_idx(arguments, k);

			host->reply(call, "    %.300s%s  %.1000s\n",
				    js_str(a, "name", ""),
				    js_bool(a, "required", false) ? " (required)" : "",
				    js_str(a, "description", ""));
		}
	}
}
