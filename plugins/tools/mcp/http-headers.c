/* SPDX-License-Identifier: MIT
 *
 * http-headers.c - tool parameters that are also sent as headers. */
#include "base64.h"
#include "http-headers.h"
#include <string.h>
#include <strings.h>

enum { HEADERS_MAX = 64 };

static bool http_headers_is_token(const char *name)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	if (!*name || strlen(name) > 100)
		return false;
	for (; *name; name++)
		if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= '0' && *name <= '9') || strchr(others, *name)))
			return false;
	return true;
}

static bool is_primitive(json_object *property)
{
	const char *type = js_str(property, "type", "");

	return strcmp(type, "string") == 0 || strcmp(type, "integer") == 0 ||
	       strcmp(type, "boolean") == 0;
}

bool header_tool_is_valid(json_object *tool)
{
	json_object *properties = js_path(tool, "inputSchema.properties");
	const char *seen[HEADERS_MAX];
	size_t count = 0;

	if (!json_object_is_type(properties, json_type_object))
		return true;
	json_object_object_foreach(properties, key, property) {
		json_object *mark = NULL;
		const char *name = js_str(property, "x-mcp-header", "");

		(void)key;
		if (!json_object_is_type(property, json_type_object) ||
		    !json_object_object_get_ex(property, "x-mcp-header", &mark))
			continue;
		if (!http_headers_is_token(name) || !is_primitive(property) ||
		    count == HEADERS_MAX)
			return false;
		for (size_t i = 0; i < count; i++)
			if (strcasecmp(seen[i], name) == 0)
				return false;
		seen[count++] = name;
	}
	return true;
}

/* Can a header contain the value unchanged? */
static bool http_headers_is_plain(const char *value, size_t len)
{
	if (len && (value[0] == ' ' || value[0] == '\t' || value[len - 1] == ' ' ||
		    value[len - 1] == '\t'))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((value[i] < ' ' && value[i] != '\t') || (unsigned char)value[i] > '~')
			return false;
	return len < 4 || strncasecmp(value, "=?base64?", 9) != 0 ||
	       memcmp(value + len - 2, "?=", 2) != 0;
}

int header_value(struct strbuf *b, const char *value, size_t len)
{
	if (http_headers_is_plain(value, len))
		return strbuf_addn(b, value, len);
	strbuf_add(b, "=?base64?");
	base64_put(b, value, len);
	return strbuf_add(b, "?=");
}

int header_parameters(json_object *input, json_object *arguments,
		      int (*add)(void *arg, const char *line), void *arg)
{
	json_object *properties = js_get(input, "properties");
	int status = MT_OK;

	if (!json_object_is_type(properties, json_type_object))
		return MT_OK;
	json_object_object_foreach(properties, key, property) {
		const char *name = js_str(property, "x-mcp-header", NULL);
		json_object *value = js_get(arguments, key);
		AUTO(strbuf) struct strbuf line = STRBUF(64 << 10);
		bool text = json_object_is_type(value, json_type_string);
		size_t len = 0;
		const char *plain = !name || !value ? NULL
				    : text          ? json_object_get_string(value)
						    : js_text(value, &len);

		if (!plain || status)
			continue;
		if (text)
			len = (size_t)json_object_get_string_len(value);
		strbuf_addf(&line, "Mcp-Param-%s: ", name);
		status = header_value(&line, plain, len);
		if (!status)
			status = add(arg, line.text);
	}
	return status;
}
