/* SPDX-License-Identifier: MIT
 *
 * test-mustache.c - templates rendered, and refused. */
#include "mustache.h"
#include "oom.h"
#include "tap.h"

static const struct { const char *text, *data, *out;
} cases[] = {
	{ "plain {x} } }}", "{}", "plain {x} } }}" },
	{ "{{a}} {{{a}}} {{& a }} {{ a }}", "{\"a\":\"<&\\\">\"}",
	  "<&\"> <&\"> <&\"> <&\">" },
	{ "{{i}} {{d}} {{t}} {{n}} {{no}}|",
	  "{\"i\":85,\"d\":1.21,\"t\":true,\"n\":null}", "85 1.21 true  |" },
	{ "{{a.b.c}} {{a.x.c}} {{x.y}}", "{\"a\":{\"b\":{\"c\":\"deep\"}}}", "deep  " },
	{ "{{#a}}{{b.c}}{{/a}}", "{\"a\":{\"b\":{}},\"b\":{\"c\":\"no\"}}", "" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":true}", "yes" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":false}", "no" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":null}", "no" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":[]}", "no" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":\"\"}", "no" },
	{ "{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":0}", "yes" },
	{ "{{#l}}{{.}},{{/l}}", "{\"l\":[1,\"b\",2.5]}", "1,b,2.5," },
	{ "{{#l}}({{#.}}{{.}}{{/.}}){{/l}}", "{\"l\":[[1,2],[\"a\"]]}", "(12)(a)" },
	{ "{{#l}}{{n}}{{o}} {{/l}}", "{\"l\":[{\"n\":1},{\"n\":2}],\"o\":\"x\"}",
	  "1x 2x " },
	{ "{{#a}}{{#a}}in{{/a}}{{/a}}", "{\"a\":{\"b\":1}}", "in" },
	{ "a\n{{#t}}\nb\n{{/t}}\nc\n", "{\"t\":true}", "a\nb\nc\n" },
	{ "a\r\n{{#t}}\r\nb\r\n{{/t}}\r\nc", "{\"t\":true}", "a\r\nb\r\nc" },
	{ "  {{#t}}  \nb\n  {{/t}}", "{\"t\":true}", "b\n" },
	{ " {{#t}} b {{/t}}\n", "{\"t\":true}", "  b \n" },
	{ "a\n  {{! c }}\nb {{! d }}\n", "{}", "a\nb \n" },
	{ "{{!\n many\n}}\nx", "{}", "x" },
	{ "a\n{{^no}}\nb\n{{/no}}\n", "{}", "a\nb\n" },
	{ "[{{>text}}]", "{}", "[from partial]" },
	{ "[{{>none}}]", "{}", "[]" },
	{ "a\n  {{>lines}}\nb", "{\"x\":\"1\\n2\"}", "a\n  |\n  1\n2\n  |\nb" },
	{ "{{>lines}} {{>text}}", "{\"x\":\"v\"}", "|\nv\n|\n from partial" },
	{ " {{>outer}}", "{\"x\":\"v\"}", " o\n    |\n    v\n    |\n" },
	{ "{{>tree}}", "{\"v\":1,\"k\":[{\"v\":2,\"k\":[]},{\"v\":3,\"k\":[]}]}",
	  "1<2<>3<>>" },
	{ "  {{a}}\n", "{\"a\":\"x\"}", "  x\n" },
	{ "{{#l}}\n- {{n}}\n{{/l}}\n", "{\"l\":[{\"n\":1},{\"n\":2}]}", "- 1\n- 2\n" },
};

static const struct { const char *text, *error; int code;
} bad[] = {
	{ "a\n{{x", "t:2: a tag is not closed", MT_EINVAL },
	{ "{{{x}}", "t:1: a tag is not closed", MT_EINVAL },
	{ "\n\n{{#x}}", "t:3: the section is not closed: x", MT_EINVAL },
	{ "{{/x}}", "t:1: closing tag without an open section: x", MT_EINVAL },
	{ "{{#x}}\n{{/y}}",
	  "t:2: closing tag does not match the open section: x", MT_EINVAL },
	{ "{{}}", "t:1: a tag requires a name of at most 200 bytes", MT_EINVAL },
	{ "{{# }}", "t:1: a tag requires a name of at most 200 bytes", MT_EINVAL },
	{ "{{=<% %>=}}", "t:1: changing the delimiters is not supported",
	  MT_EUNSUPPORTED },
	{ "{{>loop}}", "loop:1: sections and partials are nested deeper than 32",
	  MT_ELIMIT },
	{ "{{>broken}}", "broken:2: a tag is not closed", MT_EINVAL },
};

static const char *partial(const char *name, void *arg)
{
	static const char *const parts[][2] = {
		{ "text", "from partial" },
		{ "lines", "|\n{{x}}\n|\n" },
		{ "outer", "o\n   {{>lines}}\n" },
		{ "tree", "{{v}}<{{#k}}{{>tree}}{{/k}}>" },
		{ "loop", "{{>loop}}" },
		{ "broken", "\n{{x" },
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (strcmp(parts[i][0], name) == 0)
			return parts[i][1];
	return NULL;
}

static void templates_are_rendered(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		struct error err = ERROR_NONE;
		AUTO(json) json_object *data =
			js_parse(cases[i].data, strlen(cases[i].data), NULL);

		mustache_render("t", cases[i].text, data, partial, NULL, &out, &err);
		CHECK_STR(err.code ? err.text : out.text, cases[i].out);
	}
}

static void bad_templates_are_refused(void)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		struct error err = ERROR_NONE;
		int status = mustache_render("t", bad[i].text, NULL, partial, NULL, &out,
					     &err);

		CHECK_STR(err.text, bad[i].error);
		CHECK(status == bad[i].code && err.code == status);
	}
}

/* Lists in lists multiply. */
static void work_is_limited(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(64 << 20), data = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf small = STRBUF(4);
	struct error err = ERROR_NONE;

	strbuf_add(&data, "{\"l\":[");
	for (int i = 0; i < 2000; i++)
		strbuf_add(&data, i ? ",1" : "1");
	strbuf_add(&data, "],\"a\":\"abcdef\"}");

	AUTO(json) json_object *o = js_parse(data.text, data.len, NULL);

	CHECK(mustache_render("t", "{{#l}}{{#l}}{{#l}}{{/l}}{{/l}}{{/l}}", o, NULL, NULL,
			      &out, &err) == MT_ELIMIT);
	CHECK(mustache_render("t", "{{a}}", o, NULL, NULL, &small, NULL) == MT_ELIMIT);
}

static void cut_everywhere(void)
{
	static const char text[] =
		"a {{x}} {{{y}}}\n{{#l}}\n {{>text}}\n{{/l}}{{^n}}{{/n}}";
	char copy[sizeof text];
	size_t silent = 0;

	for (size_t cut = 0; cut < sizeof text; cut++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		struct error err = ERROR_NONE;

		memcpy(copy, text, cut);
		copy[cut] = '\0';
		if (mustache_render("t", copy, NULL, partial, NULL, &out, &err) &&
		    !err.text[0])
			silent++;
	}
	CHECK_MSG(silent == 0, "cut at every byte");
}

static void without_memory(void)
{
	AUTO(json) json_object *data = js_parse("{\"x\":\"v\"}", 9, NULL);

	OOM_EACH({
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		int status = mustache_render("t", " {{>outer}}", data, partial, NULL,
					     &out, NULL);

		if (oom_hit && status != MT_ENOMEM)
			CHECK_MSG(0, "an allocation failed unnoticed");
	});
	CHECK_OOM();
}

int main(void)
{
	templates_are_rendered();
	bad_templates_are_refused();
	work_is_limited();
	cut_everywhere();
	without_memory();
	return tap_done();
}
