/* SPDX-License-Identifier: MIT
 *
 * test-browser-text.c - actions as a model writes them, and trees as text. */
#include "oom.h"
#include "plugins/agents/browse.h"
#include "tests/tools/put-call.h"
#include "tests/tools/axtree.h"
#include "tap.h"

enum { ALL = ACTIONS_BID | ACTIONS_NAV };

/* Calls as source, one per line; or the sentence of the fault. */
static const char *read_actions(const char *text, bool strict)
{
	static char shown[4096];
	AUTO(strbuf) struct strbuf out = STRBUF(sizeof shown);
	struct error err = ERROR_NONE;
	struct py_calls calls;

	if (browser_calls_parse(text, strlen(text), strict, &calls, &err) == MT_OK)
		actions_bind(&calls, ALL, true, &err);
	for (size_t i = 0; i < calls.count && !err.code; i++) {
		strbuf_add(&out, i ? "\n" : "");
		put_call(&out, &calls.all[i]);
	}
	snprintf(shown, sizeof shown, "%s", err.code ? err.text : out.text);
	browser_calls_clear(&calls);
	return shown;
}

static void actions(void)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "click('a12')", "click('a12')" },
		{ "Now ```click(\"3\", button='right')``` then",
		  "click('3', button='right')" },
		{ "click(12)", "click(12)" },
		{ "fill(bid='5', value='''two\nlines''')",
		  "fill(bid='5', value='two\\nlines')" },
		{ "fill('5', r'a\\n')", "fill('5', 'a\\\\n')" },
		{ "fill('5', 'it\\'s \\u00e9\\x41\\101\\q')",
		  "fill('5', \"it's \303\251AA\\\\q\")" },
		{ "noop()\nscroll(0, -1e2) # down\nscroll(.5, +3,)",
		  "noop()\nscroll(0, -100.0)\nscroll(0.5, 3)" },
		{ "select_option('1', ('a', \"b\",))", "select_option('1', ['a', 'b'])" },
		{ "click('1', modifiers=['Shift'])", "click('1', modifiers=['Shift'])" },
		{ "I look at it (the page) first. go_back()", "go_back()" },
		{ "goto(\n  'http://x/#a' # there\n)", "goto('http://x/#a')" },
	};
	static const struct {
		const char *text, *type;
	} faults[] = {
		{ "", "ValueError" }, { "no call here", "ValueError" },
		{ "bogus('1')", "NameError" }, { "tab_focus(1)", "NameError" },
		{ "click()", "TypeError: click() is missing the argument `bid`" },
		{ "click('1', 'left', [], 4)", "TypeError: click() takes at most 3" },
		{ "click('1', bid='2')", "TypeError: click() got two values" },
		{ "click('1', color='red')", "TypeError: click() has no argument `color`" },
		{ "scroll('up', 1)", "TypeError: `delta_x` of scroll() must be a number" },
		{ "click(None)", "TypeError: `bid`" }, { "click(['1'])", "TypeError" },
		{ "click('1', modifiers=[1])", "TypeError" },
		{ "click(bid='1', '2')", "SyntaxError" },
		{ "click(bid='1', bid='2')", "SyntaxError" },
		{ "click('1'", "SyntaxError" }, { "click('1", "SyntaxError" },
		{ "click('1\n')", "SyntaxError" }, { "click(x)", "SyntaxError: `x`" },
		{ "click('1' '2')", "SyntaxError" }, { "fill('1', '\\xg')", "SyntaxError" },
		{ "scroll(1e999, 0)", "SyntaxError" }, { "scroll(1.2.3, 0)", "SyntaxError" },
		{ "scroll(99999999999999999999, 0)", "SyntaxError" },
		{ "click('1')\nfill('2', y)", "SyntaxError: `y`" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_STR(read_actions(cases[i].text, false), cases[i].shown);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		const char *got = read_actions(faults[i].text, false);

		CHECK_MSG(strncmp(got, faults[i].type, strlen(faults[i].type)) == 0,
			  "%s: %s", faults[i].text, got);
	}
}

static void limits(void)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 << 20);
	struct error err = ERROR_NONE;
	struct py_calls calls;

	for (int i = 0; i <= ACTIONS_MAX; i++)
		strbuf_add(&text, "noop()\n");
	CHECK(browser_calls_parse(text.text, text.len, true, &calls, &err) == MT_ELIMIT);
	strbuf_reset(&text);
	strbuf_add(&text, "click(");
	for (int i = 0; i < 100000; i++)
		strbuf_addc(&text, '[');
	CHECK(browser_calls_parse(text.text, text.len, true, &calls, NULL) == MT_ELIMIT);
	for (int i = 0; i < ACTIONS_TEXT_MAX; i++)
		strbuf_addc(&text, 'x');
	CHECK(browser_calls_parse(text.text, text.len, true, &calls, NULL) == MT_ELIMIT);
}

/* A text cut anywhere is read, or refused with a sentence. */
static void cut_anywhere(void)
{
	static const char text[] = "click('a', button=\"left\", modifiers=['Alt', ])\n"
				   "fill('1', '''x\\u00e9''') # c\nscroll(1.5, -2e1)";
	bool good = true;

	for (size_t n = 0; n < sizeof text; n++)
		for (int strict = 0; strict < 2; strict++) {
			char *copy = strndup(text, n);
			struct error err = ERROR_NONE;
			struct py_calls calls;
			int status = browser_calls_parse(copy, n, strict, &calls, &err);

			good = good && !status == !err.text[0];
			browser_calls_clear(&calls);
			free(copy);
		}
	CHECK_MSG(good, "a text cut at each byte");
}

/* ---- trees -------------------------------------------------------------------- */

static const struct ax_mark *no_mark(void *arg, const char *bid)
{
	(void)arg, (void)bid;
	return NULL;
}

static int print(const char *json, size_t most, struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *tree = js_parse(json, strlen(json), NULL);
	static const struct ax_options options = { .keep_generic = true };

	*out = STRBUF(most);
	return axtree_put(out, tree, &options, no_mark, NULL, err);
}

#define NODE(id, role, name, children)                                         \
	"{\"nodeId\":\"" id "\",\"role\":{\"value\":\"" role "\"},\"name\":{\"value\":\"" \
	name "\"},\"childIds\":[" children "]}"

static void trees(void)
{
	static const struct {
		const char *json, *shown;
	} cases[] = {
		{ "{\"nodes\":[]}", "" },
		{ "{\"nodes\":[null, 3]}", "" },
		{ "{\"nodes\":[" NODE("1", "main", "a", "\"1\",\"2\",\"2\",\"9\"") ","
		  NODE("2", "button", " b\\u00a0 ", "\"1\"") "]}",
		  "main 'a'\n\tbutton 'b'" },
		{ "{\"nodes\":[" NODE("1", "x", "a\\u00a0b\\u00ad\\u200b\\ue001\\ud83d\\ude00"
				   "\\udb80\\udc00", "") "]}",
		  "x 'a\\xa0b\\xad\\u200b\\ue001\xf0\x9f\x98\x80\\U000f0000'" },
		{ "{\"nodes\":[" NODE("1", "generic", "\\u3000\\u2009", "") "]}",
		  "generic ''" },
		{ "{\"nodes\":[" NODE("1", "x", "\\u0007\\u202e\\\\", "") "]}",
		  "x '\\x07\\u202e\\\\'" },
		{ "{\"nodes\":[{\"nodeId\":\"1\",\"childIds\":[\"2\"]},"
		  NODE("2", "generic", "", "") "]}", "generic" },
		{ "{\"nodes\":[{\"nodeId\":\"1\",\"role\":{\"value\":7},\"name\":5,"
		  "\"properties\":[1,{\"name\":\"focused\",\"value\":{\"value\":false}},"
		  "{\"name\":\"x\",\"value\":{\"value\":null}}],\"value\":{\"value\":1.5}}]}",
		  " '' value=1.5, x=None" },
	};
	struct error err = ERROR_NONE;
	struct strbuf out;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CHECK(print(cases[i].json, 4096, &out, NULL) == MT_OK);
		CHECK_STR(out.text, cases[i].shown);
		strbuf_clear(&out);
	}
	CHECK(print("{}", 4096, &out, &err) == MT_EINVAL && err.text[0]);
	CHECK(print(cases[2].json, 12, &out, NULL) == MT_ELIMIT);
	CHECK_STR(out.text, "main 'a'");
	strbuf_clear(&out);
}

/* A chain far deeper than is walked. */
static void deep(void)
{
	AUTO(strbuf) struct strbuf json = STRBUF(8 << 20);
	struct strbuf out;
	size_t lines = 1;

	strbuf_add(&json, "{\"nodes\":[");
	for (int i = 0; i < 5000; i++)
		strbuf_addf(&json,
			    "%s{\"nodeId\":\"%d\",\"role\":{\"value\":\"r\"},\"name\":"
			    "{\"value\":\"n\"},\"childIds\":[\"%d\"]}",
			    i ? "," : "", i, i + 1);
	strbuf_add(&json, "]}");
	CHECK(print(json.text, 8 << 20, &out, NULL) == MT_ELIMIT);
	for (const char *p = out.text; *p; p++)
		lines += *p == '\n';
	CHECK_MSG(lines == AX_DEPTH + 1, "%zu lines", lines);
	strbuf_clear(&out);
}

static int parse_all(void)
{
	static const char text[] = "fill('1', value=['a', {'b': 1.5}]) click(bid=2)";
	struct py_calls calls;
	int status = browser_calls_parse(text, sizeof text - 1, false, &calls, NULL);

	browser_calls_clear(&calls);
	return status;
}

static void no_memory(void)
{
	bool good = true;

	OOM_EACH({
		int status = parse_all();

		good = good && status == (oom_hit ? MT_ENOMEM : MT_OK);
	});
	CHECK_MSG(good, "each allocation failing once");
}

/* A reply as "thought|actions|message", and " ." where nothing but the message is
 * left to be done. */
static const char *read_reply(const char *text, size_t len)
{
	static char shown[4096];
	AUTO(strbuf) struct strbuf whole = STRBUF(0);
	struct browse_reply r;

	CHECK(browse_repair((struct mt_str){ text, len }, &whole) == MT_OK);
	CHECK(browse_read((struct mt_str){ whole.text, whole.len }, &r) == MT_OK);
	snprintf(shown, sizeof shown, "%s|%s|%s%s", r.thought.text, r.actions.text,
		 r.message.text, r.last ? " ." : "");
	browse_reply_clear(&r);
	return shown;
}

static void replies(void)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "I look.\n```\nnoop()\n```", "I look.|noop()|" },
		{ "I click.\n```\nclick('1')", "I click.|click('1')|" },
		{ "I click.\n```click('1'", "I click.|click('1')|" },
		{ "click('1')", "|click('1')|" },
		{ "  \n", "||" },
		{ "```", "||" },
		{ "It is 42.", "It is 42.|send_msg_to_user(\"\"\"It is 42.\"\"\")|It is 42. ." },
		{ "So:\n```\nsend_msg_to_user('It\\'s\\n42')\n```",
		  "So:|send_msg_to_user('It\\'s\\n42')|It's\n42 ." },
		{ "```python\nsend_msg_to_user(\"\"\"two\nlines\"\"\")\n```",
		  "|python\nsend_msg_to_user(\"\"\"two\nlines\"\"\")|two\nlines ." },
		{ "```send_msg_to_user('it's broken')```",
		  "|send_msg_to_user('it's broken')|it's broken ." },
		{ "```send_msg_to_user(text=\"it is\")```",
		  "|send_msg_to_user(text=\"it is\")|it is ." },
		{ "```\nclick('1')\nsend_msg_to_user('done')\n```",
		  "|click('1')\nsend_msg_to_user('done')|done" },
		{ "```\nsend_msg_to_user('done')\nclick('1')\n```",
		  "|send_msg_to_user('done')\nclick('1')|done" },
		{ "```\nsend_msg_to_user(\"it's \"quoted\"\")\n```",
		  "|send_msg_to_user(\"it's \"quoted\"\")|it's \"quoted\" ." },
		{ "```\nsend_msg_to_user('no end)\n```",
		  "|send_msg_to_user('no end)|" },
		{ "```\nsend_msg_to_user('one\ntwo')\n```",
		  "|send_msg_to_user('one\ntwo')|" },
		{ "```\nsend_msg_to_user('it's')\nclick('1')\n```",
		  "|send_msg_to_user('it's')\nclick('1')|it's" },
		{ "```\nsend_msg_to_user('one')\nsend_msg_to_user('two')\n```",
		  "|send_msg_to_user('one')\nsend_msg_to_user('two')|two" },
		{ "```\nsend_msg_to_user('one')\nsend_msg_to_user('')\n```",
		  "|send_msg_to_user('one')\nsend_msg_to_user('')|" },
		{ "```\nsend_msg_to_user('')\n```", "|send_msg_to_user('')|" },
		{ "```\nsend_msg_to_user(42)\n```", "|send_msg_to_user(42)|42 ." },
		{ "```\nsend_msg_to_user('say send_msg_to_user(')\n```",
		  "|send_msg_to_user('say send_msg_to_user(')|say send_msg_to_user( ." },
		{ "```\nreport_infeasible('sold out')\n```",
		  "|report_infeasible('sold out')|sold out ." },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *shown = read_reply(cases[i].text, strlen(cases[i].text));

		CHECK_STR(shown, cases[i].shown);
		for (size_t n = 0; n < strlen(cases[i].text); n++)
			read_reply(cases[i].text, n);
	}
}

static void replies_without_memory(void)
{
	static const char text[] = "I tell:\n```\nsend_msg_to_user('It is here')\n```";
	bool good = true;

	for (long n = 0; n < 40; n++) {
		struct browse_reply r;
		int status;

		oom_left = n;
		oom_hit = false;
		status = browse_read((struct mt_str){ text, sizeof text - 1 }, &r);
		oom_left = -1;
		good = good && (status == MT_OK || (status == MT_ENOMEM && oom_hit));
		browse_reply_clear(&r);
	}
	CHECK(good);
}

int main(void)
{
	replies();
	replies_without_memory();
	actions();
	limits();
	cut_anywhere();
	trees();
	deep();
	no_memory();
	return tap_done();
}
