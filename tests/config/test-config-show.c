/* SPDX-License-Identifier: MIT
 *
 * test-config-show.c - output of `config show` and `config explain`. */
#include "config-kit.h"

/* The options of the agent plugin; values of unknown options are not shown. */
static const struct mt_option *give_table(const char *section, size_t *ret_count,
					  void *arg)
{
	static const struct mt_option prompt = { .size = sizeof prompt,
						 .type = MT_OPTION_TEXT,
						 .name = "prompt" };

	(void)arg;
	*ret_count = strncmp(section, "agent.", 6) == 0;
	return *ret_count ? &prompt : NULL;
}

/* The INI output reads back as the same configuration. */
static void test_show(void)
{
	struct error err;
	AUTO(strbuf) struct strbuf first = STRBUF(1 << 20), second = STRBUF(1 << 20);
	AUTO(config) struct config *c =
		load_user("[llm]\nmodel = a/b\n[llm.cheap]\nmodel = c ; d\n"
			  "[controller]\ntools -= bash\n[controller.x]\nagent = dummy\n",
			  &err);
	AUTO(config) struct config *again = NULL;

	if (c)
		config_tables(c, give_table, NULL);
	CHECK(c && config_show(c, true, &first) == MT_OK);
	CHECK(c && config_show(c, false, &second) == MT_OK);

	AUTO(free) char *text = strbuf_take(&second);
	AUTO(json) json_object *before = js_parse(first.text, first.len, &err),
			       *after = NULL;

	again = load_user(text, &err);
	strbuf_reset(&first);
	if (again)
		config_tables(again, give_table, NULL);
	CHECK(again && config_show(again, true, &first) == MT_OK);
	after = js_parse(first.text, first.len, &err);
	json_object_object_foreach(before, section, keys) {
		json_object_object_foreach(keys, key, value) {
			json_object *other = js_get(js_get(after, section), key);

			CHECK_MSG(other && strcmp(js_str(value, "value", "?"),
						  js_str(other, "value", "!")) == 0,
				  "%s.%s", section, key);
		}
	}
	clean();
}

static void test_explain(void)
{
	static const struct {
		const char *key, *want; /* part of the text, or of the error */
	} cases[] = {
		{ "llm.model", "llm.model = c/d" },
		{ "llm.model", "over: [llm] model = a/b" },
		{ "llm.x.model", "llm.x.model = c/d" },
		{ "controller.review.agent", "set:  [controller.review] agent = dummy" },
		{ "controller.review.agent", "over: built in: codeact" },
		{ "controller.review.tools", "over: [controller] tools -= bash" },
		{ "llm.temperature", "(unset)" },
		{ "llm", "retries = 5" },
		{ "llm.modle", "did you mean `model`?" },
		{ "nothing.x", "SECTION.KEY" },
		{ "llm.", "unknown option" },
		{ "", "SECTION.KEY" },
	};
	static const char *const overrides[] = { "llm.model=c/d", NULL };
	struct error err;

	put("mortise/mortise.ini", "[llm]\nmodel = a/b\n[controller]\ntools -= bash\n"
				   "[controller.review]\nagent = dummy\ntools += x\n");

	AUTO(config) struct config *c = load(&err, overrides);

	for (size_t i = 0; c && i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

		err = ERROR_NONE;
		config_explain(c, cases[i].key, &out, &err);
		CHECK_MSG(strstr(err.code ? err.text : out.text, cases[i].want), "%s: %s",
			  cases[i].key, cases[i].want);
	}
	clean();
}

int main(void)
{
	set_up();
	test_show();
	test_explain();
	return tear_down();
}
