/* SPDX-License-Identifier: MIT
 *
 * test-json.c - JSON with each allocation of json-c failing once: JSON is
 * written and copied completely, or an error is returned. */
#include "calls.h"
#include "js.h"
#include "tap.h"

#include <string.h>

static const char text[] =
	"{\"command\":\"create\",\"path\":\"/a/path/that/is/longer/than/the/first/buffer/of/"
	"json-c\",\"file_text\":\"a line\\nand \\\"another\\\" one\",\"view_range\":[1,20],"
	"\"number\":0.1000000000000000055511151231257827021181583404541015625,"
	"\"empty\":{},\"none\":null,\"yes\":true}";

static void check_whole(const char *name)
{
	bool hit = true;
	long n, parts = 0;

	for (n = 1; hit; n++) {
		AUTO(json) json_object *o = js_parse_object(text, strlen(text), NULL);
		json_object *value = *name ? js_get(o, name) : o;
		AUTO(free) char *whole = strdup(js_text(value, NULL));
		AUTO(json) json_object *again = js_parse_object(text, strlen(text), NULL);
		AUTO(strbuf) struct strbuf out = STRBUF(4096);
		const char *got;
		size_t len;
		int status;

		value = *name ? js_get(again, name) : again;
		torture_begin("memory", n);
		got = js_text(value, &len);
		status = js_put(&out, value);
		hit = torture_end();
		parts += got ? strcmp(got, whole) != 0 || len != strlen(whole) : len != 0;
		parts += status ? out.len != 0 : strcmp(out.text, whole) != 0;
	}
	CHECK_MSG(n > 2 && !parts, "%s: %ld allocations, never a part of the text",
		  *name ? name : "an object", n - 2);
}

static void check_set(void)
{
	bool hit = true;
	long n, missing = 0;

	for (n = 1; hit; n++) {
		AUTO(json) json_object *o = json_object_new_object();
		int status;

		torture_begin("memory", n);
		status = js_set_str(o, "text", "of some length") ||
			 js_set_number(o, "number", 0.25) ||
			 js_set_new(o, "list", json_object_new_array());
		hit = torture_end();
		missing += !status && (!js_get(o, "text") || !js_get(o, "number") ||
				       !js_get(o, "list"));
	}
	CHECK_MSG(n > 4 && !missing, "%ld allocations, no member becomes null", n - 2);
}

/* An event as features build it: no step is checked but the last. */
static json_object *build(void)
{
	json_object *o = js_new_object(), *list = js_new_list(), *item = js_new_object();

	js_set_str(item, "name", "a skill with a name longer than a small string");
	js_set_number(item, "cost", 0.25);
	js_add_new(list, item);
	js_add_new(list, json_object_new_string("text"));
	js_set_bool(o, "hidden", true);
	js_set_new(o, "limit", json_object_new_int64(30));
	js_set(o, "items", list);
	js_set_str(js_get(o, "later"), "ignored", "there is no such member");
	return o;
}

static void check_built(void)
{
	AUTO(json) json_object *first = build();
	AUTO(free) char *whole = strdup(js_text(first, NULL));
	bool hit = true;
	long n, parts = 0, unseen = 0, copied = 0;

	for (n = 1; hit; n++) {
		AUTO(json) json_object *o = NULL, *copy = NULL;
		const char *got;

		torture_begin("memory", n);
		o = build();
		hit = torture_end();
		got = js_text(o, NULL);
		parts += got ? strcmp(got, whole) != 0 : !hit;
		unseen += js_incomplete(o) != !got;
		copied += !got && json_object_deep_copy(o, &copy, NULL) == 0;
	}
	CHECK_MSG(n > 12 && !parts,
		  "%ld allocations, what was built is whole or has no text", n - 2);
	CHECK(!unseen);
	CHECK(!copied);
}

/* The writer finds members that were attached before the failure. */
static void check_nested(void)
{
	AUTO(json) json_object *o = js_new_object();
	AUTO(strbuf) struct strbuf out = STRBUF(4096);

	js_set_new(o, "inner", js_new_object());
	js_fail(js_get(o, "inner"));
	CHECK(!js_failed(o) && js_incomplete(o));
	CHECK(!js_text(o, NULL));
	CHECK(js_put(&out, o) == MT_ENOMEM && !out.len);
}

int main(void)
{
	AUTO(json) json_object *o = json_object_new_object();

	check_whole("");
	check_whole("path");
	check_whole("view_range");
	check_whole("number");
	check_set();
	check_built();
	check_nested();
	CHECK(js_set_str(o, "text", js_text(NULL, NULL)) == MT_OK);
	CHECK(js_set_str(o, "text", NULL) == MT_ENOMEM);
	return tap_done();
}
