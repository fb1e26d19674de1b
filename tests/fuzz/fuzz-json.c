/* SPDX-License-Identifier: MIT
 *
 * fuzz-json.c - JSON that was read and written reads as the same value; any
 * bytes become a valid string; any schema can be asked about any value. */
#include "js.h"
#include "schema.h"
#include "utf8.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void round_trip(const char *bytes, size_t n)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *a = js_parse(bytes, n, &err);

	if (err.code) {
		if (a || !err.text[0])
			abort();
		return;
	}

	size_t len;
	const char *text = js_text(a, &len);
	AUTO(json) json_object *b = js_parse(text, len, &err);

	if (err.code || !js_equal(a, b) || strcmp(text, js_text(b, NULL)) != 0)
		abort();
}

static void as_string(const char *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf clean = STRBUF(1 << 20);
	struct error err = ERROR_NONE;

	js_put_str(&json, bytes, n);
	utf8_add_clean(&clean, bytes, n);

	AUTO(json) json_object *o = js_parse(json.text, json.len, &err);

	if (err.code || !json_object_is_type(o, json_type_string) ||
	    (size_t)json_object_get_string_len(o) != clean.len ||
	    memcmp(json_object_get_string(o), clean.text, clean.len) != 0 ||
	    strcmp(js_text(o, NULL), json.text) != 0)
		abort();
}

static void schema(const char *bytes, size_t n)
{
	const char *end = memchr(bytes, '\n', n);
	size_t len = end ? (size_t)(end - bytes) : n;
	struct error err = ERROR_NONE;
	AUTO(json) json_object *s = js_parse(bytes, len, NULL);
	AUTO(json) json_object *v =
		js_parse(end ? end + 1 : bytes, end ? n - len - 1 : n, NULL);

	schema_valid(s, NULL);
	if (schema_check(s, v, &err) != err.code)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	round_trip((const char *)bytes, n);
	as_string((const char *)bytes, n);
	schema((const char *)bytes, n);
	return 0;
}
