/* SPDX-License-Identifier: MIT
 *
 * argument.c - parses numbers in arguments. */
#include "argument.h"
#include "js.h"
#include "utf8.h"
#include <errno.h>
#include <string.h>

bool argument_given(struct mt_str json)
{
	return json.ptr && !(json.len == 4 && memcmp(json.ptr, "null", 4) == 0);
}

static bool value_int(json_object *v, int64_t *ret)
{
	const char *text;
	char *end;
	long long n;

	if (json_object_is_type(v, json_type_int)) {
		*ret = json_object_get_int64(v);
		return true;
	}
	if (!json_object_is_type(v, json_type_string))
		return false;
	text = json_object_get_string(v);
	if (!*text || strspn(text, "+-0123456789") != strlen(text))
		return false;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (*end || errno)
		return false;
	*ret = n;
	return true;
}

bool argument_int(struct mt_str json, int64_t *ret)
{
	AUTO(json) json_object *v = js_parse(json.ptr, json.len, NULL);

	return value_int(v, ret);
}

bool argument_range(struct mt_str json, int64_t ret[2], size_t *ret_count)
{
	AUTO(json) json_object *v = js_parse(json.ptr, json.len, NULL);

	if (json_object_is_type(v, json_type_string)) {
		const char *text = json_object_get_string(v);
		json_object *inside = js_parse(text, strlen(text), NULL);

		json_object_put(v);
		v = inside;
	}
	if (!json_object_is_type(v, json_type_array))
		return false;
	*ret_count = json_object_array_length(v);
	if (*ret_count != 0 && *ret_count != 2)
		return false;
	for (size_t i = 0; i < *ret_count; i++)
		if (!value_int(json_object_array_get_idx(v, i), &ret[i]))
			return false;
	return true;
}

static void params_put_value(struct strbuf *out, json_object *v)
{
	const char *text = json_object_is_type(v, json_type_string)
				   ? json_object_get_string(v)
				   : js_text(v, NULL);
	size_t len = text ? strlen(text) : 0;

	strbuf_addn(out, text, utf8_cut(text, len, 200));
}

void argument_put(struct strbuf *out, struct mt_str json)
{
	AUTO(json) json_object *v = js_parse(json.ptr, json.len, NULL);
	size_t n;

	if (!json_object_is_type(v, json_type_array)) {
		params_put_value(out, v);
		return;
	}
	n = json_object_array_length(v);
	strbuf_addc(out, '[');
	for (size_t i = 0; i < n && i < 10; i++) {
		strbuf_add(out, i ? ", " : "");
		params_put_value(out, json_object_array_get_idx(v, i));
	}
	strbuf_add(out, n > 10 ? ", ...]" : "]");
}
