/* SPDX-License-Identifier: MIT
 *
 * test-js.c - JSON read strictly, written fast, and both the same. */
#include "js.h"
#include "oom.h"
#include "tap.h"

/* Input and output; NULL: refused. */
static const struct { const char *in, *out; } values[] = {
	{ "1", "1" },
	{ "1.0", "1.0" },
	{ "1e5", "1e5" },
	{ "0.1", "0.1" },
	{ "1E+2", "1E+2" },
	{ "1e999", "1e999" },
	{ "-0.0", "-0.0" },
	{ "18446744073709551615", "18446744073709551615" },
	{ "-9223372036854775808", "-9223372036854775808" },
	{ "18446744073709551616", NULL },
	{ "-9223372036854775809", NULL },
	{ "123456789012345678901234567890.5", "123456789012345678901234567890.5" },
	{ "01", NULL }, { "-01", NULL }, { "00", NULL }, { "1.", NULL },
	{ ".5", NULL }, { "+1", NULL }, { "-", NULL }, { "1e", NULL },
	{ "0x10", NULL }, { "NaN", NULL }, { "Infinity", NULL }, { "-Infinity", NULL },
	{ "null", "null" }, { " true\r\n\t", "true" }, { "True", NULL },
	{ "nul", NULL }, { "nulll", NULL },
	{ "{\"a\":1,\"a\":2}", "{\"a\":2}" },
	{ "{\"b\": [1, 2], \"a\": {}}", "{\"b\":[1,2],\"a\":{}}" },
	{ "\"a\\u0000b\"", "\"a\\u0000b\"" },
	{ "{\"a\\u0000\" :1}", NULL },
	{ "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
	{ "\"\\/ / \x7f \\u001f \\b\\f\\n\\r\\t\\\"\\\\\"",
	  "\"/ / \x7f \\u001f \\b\\f\\n\\r\\t\\\"\\\\\"" },
	{ "\"\\x\"", NULL }, { "\"\\u12g4\"", NULL }, { "\"a\nb\"", NULL },
	{ "\"open", NULL }, { "\"\\", NULL }, { "\"\\u00", NULL }, { "'a'", NULL },
	{ "\"\xff\"", NULL }, { "\"\xed\xa0\x80\"", NULL }, { "\"\xc0\x80\"", NULL },
	{ "[1,]", NULL }, { "{\"a\":1,}", NULL }, { "[1 2]", NULL },
	{ "{\"a\" 1}", NULL }, { "{a:1}", NULL }, { "/**/1", NULL },
	{ "{} x", NULL }, { "{}{}", NULL }, { "1 2", NULL }, { "[", NULL },
	{ "]", NULL }, { "[}", NULL }, { "", NULL }, { "  ", NULL }, { "\f1", NULL },
};

static void values_are_read_and_written(void)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct error err = ERROR_NONE;
		AUTO(json) json_object *o =
			js_parse(values[i].in, strlen(values[i].in), &err);

		if (!values[i].out)
			CHECK_MSG(!o && err.code && err.text[0], "%zu is refused: %s", i,
				  err.text);
		else
			CHECK_STR(err.code ? err.text : js_text(o, NULL), values[i].out);
	}
}

static void every_cut_of_a_value_is_refused(void)
{
	static const char text[] =
		"{\"a\":[1.5e3,true,null,\"\\u00e9\\n\"],\"b\":{\"c\":\"\xc3\xa9\"}}";
	size_t read = 0;

	for (size_t cut = 0; cut < sizeof text - 1; cut++) {
		struct error err = ERROR_NONE;
		json_object *o = js_parse(text, cut, &err);

		read += err.code == MT_OK;
		json_object_put(o);
	}
	CHECK_MSG(read == 0, "a value cut at every byte");
}

static void depth_and_bytes_are_limited(void)
{
	char text[2 * JS_DEPTH + 3];

	for (int depth = JS_DEPTH - 1; depth <= JS_DEPTH + 1; depth++) {
		struct error err = ERROR_NONE;

		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		json_object_put(js_parse(text, 2 * (size_t)depth, &err));
		CHECK_MSG((err.code == MT_ELIMIT) == (depth > JS_DEPTH), "depth %d",
			  depth);
	}
	CHECK_MSG(!js_parse("{}\0{}", 5, NULL), "nothing after a NUL");
}

static void members_are_found(void)
{
	static const char text[] =
		"{\"s\":\"x\",\"i\":5,\"d\":5.0,\"h\":5.5,\"big\":18446744073709551615,"
		"\"t\":true,\"n\":null,\"a\":{\"b\":{\"c\":7}}}";
	AUTO(json) json_object *o = js_parse_object(text, sizeof text - 1, NULL);

	CHECK_STR(js_str(o, "s", "-"), "x");
	CHECK_STR(js_str(o, "i", "-"), "-");
	CHECK(js_int(o, "i", -1) == 5 && js_int(o, "d", -1) == 5);
	CHECK(js_int(o, "h", -1) == -1 && js_int(o, "big", -1) == -1);
	CHECK(js_int(o, "s", -1) == -1 && js_int(NULL, "s", -1) == -1);
	CHECK(js_number(o, "h", 0) == 5.5 && js_number(o, "big", 0) > 1.8e19);
	CHECK(js_bool(o, "t", false) && js_bool(o, "i", true) && !js_bool(o, "n", false));
	CHECK(json_object_get_int(js_path(o, "a.b.c")) == 7);
	CHECK(!js_path(o, "a.x.c") && !js_path(o, "s.b") && !js_path(o, ""));
	CHECK(js_set_int(o, "i", 6) == MT_OK && js_int(o, "i", 0) == 6);
	CHECK(js_set_strn(o, "s", "a\0b", 3) == MT_OK &&
	      json_object_get_string_len(js_get(o, "s")) == 3);
	CHECK(js_set_strn(o, "s", "a\xffz", 3) == MT_OK);
	CHECK_STR(js_str(o, "s", ""), "a\xef\xbf\xbdz");
	CHECK(js_set_bool(o, "t", false) == MT_OK && !js_bool(o, "t", true));
	CHECK(js_set(o, "n", js_new_number(0.1)) == MT_OK);
	CHECK_STR(js_text(js_get(o, "n"), NULL), "0.1");
	CHECK(js_set_int(js_get(o, "t"), "x", 1) == MT_EINVAL);
	CHECK(!js_parse_object("[1]", 3, NULL) && !js_parse_object("null", 4, NULL));
}

static void values_are_compared(void)
{
	static const struct { const char *a, *b; bool same; } pairs[] = {
		{ "1", "1.0", true }, { "1", "1.5", false }, { "1", "true", false },
		{ "{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}", true },
		{ "{\"a\":1}", "{\"a\":1,\"b\":null}", false },
		{ "{\"a\":null}", "{\"b\":null}", false },
		{ "[1,2]", "[2,1]", false }, { "[1,2]", "[1,2]", true },
		{ "null", "null", true }, { "null", "0", false },
		{ "\"a\"", "\"a\"", true }, { "\"a\"", "\"b\"", false },
		{ "18446744073709551615", "9223372036854775807", false },
		{ "18446744073709551615", "18446744073709551615", true },
		{ "9007199254740993", "9007199254740992.0", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		AUTO(json)
		json_object *a = js_parse(pairs[i].a, strlen(pairs[i].a), NULL);
		AUTO(json)
		json_object *b = js_parse(pairs[i].b, strlen(pairs[i].b), NULL);

		CHECK_MSG(js_equal(a, b) == pairs[i].same &&
				  js_equal(b, a) == pairs[i].same,
			  "%s and %s", pairs[i].a, pairs[i].b);
	}
}

static void put_all(struct strbuf *b)
{
	strbuf_addc(b, '{');
	js_key_str(b, "a\"", "x\ny");
	js_key_strn(b, "z", "\0\xff", 2);
	js_key_int(b, "i", INT64_MIN);
	js_key_bool(b, "t", true);
	js_key(b, "l");
	strbuf_addc(b, '[');
	js_put(b, NULL);
	strbuf_add(b, ",{");
	js_key_int(b, "n", 1);
	strbuf_add(b, "}]}");
}

static void text_is_written_without_objects(void)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	char run[300];
	size_t wrong = 0;

	put_all(&b);
	CHECK_STR(b.text,
		  "{\"a\\\"\":\"x\\ny\",\"z\":\"\\u0000\xef\xbf\xbd\","
		  "\"i\":-9223372036854775808,\"t\":true,\"l\":[null,{\"n\":1}]}");
	for (size_t at = 0; at < 40; at++) { /* each place in a word of eight */
		memset(run, 'a', sizeof run);
		run[at] = "\"\\\n\x01\xff"[at % 5];
		strbuf_reset(&b);
		js_put_str(&b, run, 40);

		AUTO(json) json_object *o = js_parse(b.text, b.len, NULL);

		if (!o || strcmp(js_text(o, NULL), b.text) != 0 || b.len < 43) {
			printf("# escape at %zu: %s\n", at, b.text);
			wrong++;
		}
	}
	CHECK_MSG(wrong == 0, "escapes everywhere");
}

static void without_memory(void)
{
	OOM_EACH({
		AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

		put_all(&b);
		if (oom_hit && b.error != MT_ENOMEM)
			CHECK_MSG(0, "an allocation failed unnoticed");
	});
	CHECK_OOM();
}

static void test_lists(void)
{
	AUTO(json) json_object *list = js_texts("a", "b", NULL);

	CHECK_STR(js_text(list, NULL), "[\"a\",\"b\"]");
	CHECK(js_add_new(list, json_object_new_int(1)) == MT_OK);
	CHECK_STR(js_text(list, NULL), "[\"a\",\"b\",1]");
	CHECK(js_add_new(list, NULL) == MT_ENOMEM);
	CHECK(js_add_new(NULL, json_object_new_int(1)) == MT_ENOMEM);
	CHECK(!js_text(list, NULL)); /* it lacks what was not made */
}

int main(void)
{
	test_lists();
	values_are_read_and_written();
	every_cut_of_a_value_is_refused();
	depth_and_bytes_are_limited();
	members_are_found();
	values_are_compared();
	text_is_written_without_objects();
	without_memory();
	return tap_done();
}
