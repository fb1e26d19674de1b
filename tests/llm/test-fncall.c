/* SPDX-License-Identifier: MIT
 *
 * test-fncall.c - tool calls as text: written, parsed, repaired, and refused. */
#include "tests/llm/decode-history.h"
#include "oom.h"
#include "tap.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>
#include <string.h>

static const struct llm_tool tools[] = {
	{ "execute_bash", "Runs a command.",
	  "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"},"
	  "\"timeout\":{\"type\":\"number\"},\"is_input\":{\"type\":\"boolean\"}},"
	  "\"required\":[\"command\",\"security_risk\"]}", NULL, NULL },
	{ "typed", "All types.",
	  "{\"type\":\"object\",\"properties\":{\"i\":{\"type\":\"integer\"},"
	  "\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
	  "\"a\":{\"type\":\"array\"},\"o\":{\"type\":\"object\"},"
	  "\"u\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"
	  "\"m\":{\"type\":[\"integer\",\"string\"]},"
	  "\"e\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]},"
	  "\"r\":{\"$ref\":\"#/$defs/list\"}},"
	  "\"$defs\":{\"list\":{\"type\":\"array\"}}}", NULL, NULL },
	{ "bare", NULL, "{\"type\":\"object\",\"properties\":{}}", NULL, NULL },
	{ "none", NULL, NULL, NULL, NULL },
};
enum { TOOLS = sizeof tools / sizeof *tools };

static struct fncall_tools *known;

/* All that was read: words | name {args} fault | ... */
static void show(const char *text, size_t len, struct strbuf *out)
{
	struct fncalls found;
	struct error err = ERROR_NONE;

	if (fncall_parse(text, len, known, &found, &err)) {
		strbuf_add(out, err.text);
		return;
	}
	strbuf_addn(out, text + found.text_start, found.text_len);
	for (size_t i = 0; i < found.count; i++)
		strbuf_addf(out, "|%s %s%s%s", found.calls[i].name,
			    js_text(found.calls[i].args, NULL),
			    found.calls[i].fault ? " !" : "", found.calls[i].why);
	fncalls_clear(&found);
}

#define BASH(value) \
	"<function=execute_bash>\n<parameter=command>" value "</parameter>\n</function>"
#define TYPED(name, value) \
	"<function=typed>\n<parameter=" name ">" value "</parameter>\n</function>"

static const struct {
	const char *text, *read;
} cases[] = {
	/* words */
	{ "", "" },
	{ "Just words.", "Just words." },
	{ "  kept as they are \n", "  kept as they are \n" },
	{ " Words.\n\n" BASH("ls") " more", "Words.|execute_bash {\"command\":\"ls\"}" },
	{ "a <function= that is none", "a <function= that is none" },
	{ "a <function=\n> b </function>", "a <function=\n> b </function>" },
	{ "<function", "<function" },
	{ "</function>", "</function>" },
	{ "<function=>x</function>", "<function=>x</function>" },
	/* ends that are missing */
	{ "<function=bare>", "|bare {}" },
	{ "<function=bare>\n</", "|bare {}" },
	{ "<function=execute_bash>\n<parameter=command>ls</parameter>\n",
	  "|execute_bash {\"command\":\"ls\"}" },
	{ "<function=execute_bash>\n<parameter=command>ls",
	  "|execute_bash {} !function 'execute_bash' lacks required parameters: command" },
	/* the form */
	{ "<function=bare></function>", "|bare {}" },
	{ "<function= bare >\n</function>", "|bare {}" },
	{ "<function=none>\n<parameter=x>1</parameter>\n</function>",
	  "|none {\"x\":\"1\"}" },
	{ "<function=execute_bash><parameter=command=ls</parameter></function>",
	  "|execute_bash {\"command\":\"ls\"}" },
	{ "<function=execute_bash>\nnoise<parameter=command>ls</parameter>noise\n"
	  "</function>", "|execute_bash {\"command\":\"ls\"}" },
	{ "<think>hm</think>\n<tool_call>\n" BASH("ls") "\n</tool_call>",
	  "<think>hm</think>|execute_bash {\"command\":\"ls\"}" },
	{ "one\n" BASH("1") "\ntwo\n" BASH("2"),
	  "one|execute_bash {\"command\":\"1\"}|execute_bash {\"command\":\"2\"}" },
	{ BASH("1") "<function=bare>", "|execute_bash {\"command\":\"1\"}" },
	{ "<function=execute_bash>\n<parameter=command>a</parameter>\n"
	  "<parameter=command>b</parameter>\n</function>",
	  "|execute_bash {\"command\":\"b\"}" },
	/* values */
	{ BASH(""), "|execute_bash {\"command\":\"\"}" },
	{ BASH("  ls "), "|execute_bash {\"command\":\"  ls \"}" },
	{ BASH("\nls\n"), "|execute_bash {\"command\":\"ls\"}" },
	{ BASH("\n  ls\n\n"), "|execute_bash {\"command\":\"  ls\\n\"}" },
	{ BASH("\nls"), "|execute_bash {\"command\":\"\\nls\"}" },
	{ BASH("\n"), "|execute_bash {\"command\":\"\\n\"}" },
	{ BASH("\n\n"), "|execute_bash {\"command\":\"\"}" },
	{ BASH("a > b && c < d"), "|execute_bash {\"command\":\"a > b && c < d\"}" },
	{ BASH("grep '</function>' x"),
	  "|execute_bash {\"command\":\"grep '</function>' x\"}" },
	{ BASH("x</parameter>y"), "|execute_bash {\"command\":\"x\"}" },
	{ "<function=execute_bash>\n<parameter=command>ls\n</function>\n" BASH("pwd"),
	  "|execute_bash {} !function 'execute_bash' lacks required parameters: command|execute_bash {\"command\":\"pwd\"}" },
	/* types */
	{ TYPED("i", " 7 "), "|typed {\"i\":7}" },
	{ TYPED("i", "-1_000"), "|typed {\"i\":-1000}" },
	{ TYPED("i", "9223372036854775807"), "|typed {\"i\":9223372036854775807}" },
	{ TYPED("i", "9223372036854775808"),
	  "|typed {\"i\":\"9223372036854775808\"} !parameter 'i' must be an integer" },
	{ TYPED("i", "1.0"), "|typed {\"i\":\"1.0\"} !parameter 'i' must be an integer" },
	{ TYPED("i", "_1"), "|typed {\"i\":\"_1\"} !parameter 'i' must be an integer" },
	{ TYPED("i", "-"), "|typed {\"i\":\"-\"} !parameter 'i' must be an integer" },
	{ TYPED("n", "1.5"), "|typed {\"n\":1.5}" },
	{ TYPED("n", "\n1e3\n"), "|typed {\"n\":1000.0}" },
	{ TYPED("n", "3"), "|typed {\"n\":3}" },
	{ TYPED("n", "inf"), "|typed {\"n\":\"inf\"} !parameter 'n' must be a number" },
	{ TYPED("n", "1e999"),
	  "|typed {\"n\":\"1e999\"} !parameter 'n' must be a number" },
	{ TYPED("n", "0x10"), "|typed {\"n\":\"0x10\"} !parameter 'n' must be a number" },
	{ TYPED("b", "True"), "|typed {\"b\":true}" },
	{ TYPED("b", "false\n"), "|typed {\"b\":false}" },
	{ TYPED("b", "1"), "|typed {\"b\":\"1\"} !parameter 'b' must be true or false" },
	{ TYPED("a", "[1, \"x\"]"), "|typed {\"a\":[1,\"x\"]}" },
	{ TYPED("a", "{}"), "|typed {\"a\":\"{}\"} !parameter 'a' must be a JSON array" },
	{ TYPED("a", "[1"), "|typed {\"a\":\"[1\"} !parameter 'a' must be a JSON array" },
	{ TYPED("o", "\n{\"k\": [null]}\n"), "|typed {\"o\":{\"k\":[null]}}" },
	{ TYPED("u", "None"), "|typed {\"u\":null}" },
	{ TYPED("u", "5"), "|typed {\"u\":5}" },
	{ TYPED("u", "x"),
	  "|typed {\"u\":\"x\"} !parameter 'u' must be an integer or null" },
	{ TYPED("m", "5"), "|typed {\"m\":\"5\"}" },
	{ TYPED("r", "[2]"), "|typed {\"r\":[2]}" },
	{ TYPED("e", " y\n"), "|typed {\"e\":\"y\"}" },
	{ TYPED("e", "z"), "|typed {\"e\":\"z\"} !parameter 'e' must be one of: x, y" },
	{ TYPED("q", "z"), "|typed {\"q\":\"z\"} !function 'typed' has no parameter 'q'; its parameters are: i, n, b, a, o, u, m, e, r" },
	/* names */
	{ "<function=terminal>\n<parameter=command>ls</parameter>\n</function>",
	  "|execute_bash {\"command\":\"ls\"}" },
	{ "<function=nope>\n<parameter=x>1</parameter>\n</function>",
	  "|nope {\"x\":\"1\"} !unknown function 'nope'; available: execute_bash, "
	  "typed, bare, none" },
	{ BASH("\xff"), "|execute_bash {\"command\":\"\xef\xbf\xbd\"}" },
};

static void reading(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 16);

		show(cases[i].text, strlen(cases[i].text), &got);
		CHECK_STR(got.text, cases[i].read);
	}
}

/* Cut anywhere, a call is never read with arguments that were not written. */
static void cut_anywhere(void)
{
	static const char text[] =
		"Look.\n<function=execute_bash>\n<parameter=command>rm -r build/x"
		"</parameter>\n<parameter=timeout>15</parameter>\n</function>";
	size_t odd = 0;

	for (size_t n = 0; n < strlen(text); n++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 16);

		show(text, n, &got);
		odd += strstr(got.text, "rm -r") && !strstr(got.text, "build/x") &&
		       strchr(got.text, '|');
		odd += strstr(got.text, "\"timeout\":1}") != NULL;
	}
	CHECK_MSG(odd == 0, "%zu odd", odd);
}

/* ---- calls in other forms ---------------------------------------------------- */

/* The arguments of the call that is shown in the right form; "": none is. */
static const struct {
	const char *text, *args;
} other_forms[] = {
	{ "", "" },
	{ "{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"ls\"}}",
	  "{\"command\":\"ls\"}" },
	{ "{\"function\":{\"name\":\"typed\",\"arguments\":\"{\\\"i\\\":1}\"}}",
	  "{\"i\":1}" },
	{ "{\"name\":\"execute_bash\",\"arguments\":\"ls\"}", "{\"command\":\"ls\"}" },
	{ "{'tool': 'execute_bash', 'command': 'ls'}", "{\"command\":\"ls\"}" },
	{ "execute_bash {\"command\":\"a } \\\" {\"}", "{\"command\":\"a } \\\" {\"}" },
	{ "{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"ls\"", "" },
	{ "{\"name\":\"other\"}", "" },
	{ "<execute_bash>ls</execute_bash>", "{\"command\":\"ls\"}" },
	{ "<bash>\n<command>\nls\n</command>\n</bash>", "{\"command\":\"ls\"}" },
	{ "<x:invoke name='typed'><x:parameter name='i'>7</x:parameter></x:invoke>",
	  "{\"i\":7}" },
	{ "<execute_bash>find . -exec ls {} +</execute_bash>",
	  "{\"command\":\"find . -exec ls {} +\"}" },
	{ "typed(i=1, a=[1, 2], b=True)", "{\"i\":1,\"a\":[1,2],\"b\":true}" },
	{ "typed(i=1, u=None)", "{\"i\":1,\"u\":null}" },
	{ "execute_bash('ls')", "{\"command\":\"ls\"}" },
	{ "execute_bash('ls') lists", "" },
	{ "```sh\n$ ls\n```", "{\"command\":\"ls\"}" },
	{ "```sh\nls", "{\"command\":\"ls\"}" },
	{ "```\nls\n```", "" },
	{ "I will call `execute_bash` with `ls`.", "{\"command\":\"ls\"}" },
	{ "I called execute_bash.", "" },
	{ "<think>{\"name\":\"bare\"}</think>Done.", "" },
};

static void calls_in_other_forms(void)
{
	for (size_t i = 0; i < ARRAY_LEN(other_forms); i++) {
		const char *text = other_forms[i].text, *form;
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
		struct fncalls found;
		bool guess;

		CHECK(fncall_correct(text, strlen(text), known, &out, &guess) == MT_OK);
		form = strstr(out.text, "<function=");
		fncall_parse(form ? form : "", form ? strlen(form) : 0, known, &found,
			     NULL);
		CHECK_STR(found.count ? js_text(found.calls[0].args, NULL) : "",
			  other_forms[i].args);
		fncalls_clear(&found);
		for (size_t n = 0; n < strlen(text); n++)
			if (fncall_correct(text, n, known, &out, &guess))
				CHECK_MSG(0, "case %zu cut at %zu", i, n);
	}
}

static void correct_all(void)
{
	for (size_t i = 0; i < ARRAY_LEN(other_forms); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		const char *text = other_forms[i].text;
		bool guess;

		fncall_correct(text, strlen(text), known, &out, &guess);
	}
}

static void other_forms_without_memory(void)
{
	OOM_EACH(correct_all());
	CHECK_OOM();
}

/* ---- much of it ------------------------------------------------------------- */

static void much(const char *piece, size_t times)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20), out = STRBUF(64 << 20);
	struct fncalls found;
	bool guess;

	for (size_t i = 0; i < times; i++)
		strbuf_add(&text, piece);
	CHECK_MSG(fncall_parse(text.text, text.len, known, &found, NULL) == MT_OK,
		  "%zu times %.30s: %zu calls", times, piece, found.count);
	fncalls_clear(&found);
	CHECK(fncall_correct(text.text, text.len / 8, known, &out, &guess) == MT_OK);
}

static void long_texts(void)
{
	enum { TIMES = 200000 };

	much("<function=", TIMES);
	much("<function=a>", TIMES);
	much("<parameter=", TIMES);
	much("<parameter=a>", TIMES);
	much("<parameter=a=", TIMES);
	much("</function>", TIMES);
	much("<function=a><parameter=b>", TIMES);
	much("<function=bare></function>", TIMES);
	much("<function=a><parameter=b>c</function>", TIMES);
	much("<function=bare><parameter=x>1</parameter>", TIMES);
	much("<think></think>", TIMES);
	much("<think>", TIMES);
	much("</think>", TIMES);
	much("<a", TIMES);
	much("<bare>", TIMES);
	much("<parameter name=", TIMES);
	much("{", TIMES);
	much("{\"name\":", TIMES);
	much("execute_bash('''", TIMES);
	much("execute_bash(\n", TIMES);
	much("I will `", TIMES);
	much("```", TIMES);
	much(" ", TIMES);
}

/* ---- writing ---------------------------------------------------------------- */

static const struct {
	const char *args, *text;
} written[] = {
	{ "{}", "" },
	{ "", "" },
	{ "{\"a\":\"x\"}", "<parameter=a>x</parameter>\n" },
	{ "{\"a\":\"\\nx\\n\"}", "<parameter=a>\n\nx\n\n</parameter>\n" },
	{ "{\"a\":true,\"b\":null,\"c\":1.0,\"d\":-7}",
	  "<parameter=a>True</parameter>\n<parameter=b>None</parameter>\n"
	  "<parameter=c>1.0</parameter>\n<parameter=d>-7</parameter>\n" },
	{ "{\"a\":[1,{\"k\":\"\xc3\xa4\"}]}",
	  "<parameter=a>[1, {\"k\": \"\\u00e4\"}]</parameter>\n" },
	{ "{\"a\":[\"\xf0\x9f\x98\x80\"]}",
	  "<parameter=a>[\"\\ud83d\\ude00\"]</parameter>\n" },
	{ "not json", "<parameter=arguments>not json</parameter>\n" },
};

static void writing(void)
{
	for (size_t i = 0; i < ARRAY_LEN(written); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 16), want = STRBUF(1 << 16);
		struct llm_call call = { "1", "bare", written[i].args,
					 strlen(written[i].args) };

		strbuf_addf(&want, "<function=bare>\n%s</function>", written[i].text);
		CHECK(fncall_format_call(&call, &got, NULL) == MT_OK);
		CHECK_STR(got.text, want.text);
	}
}

/* ---- a whole request -------------------------------------------------------- */

static const struct llm_part parts[] = {
	{ .text = "Be brief.", .len = 9 },
	{ .text = "do it", .len = 5 },
	{ .text = "two at once", .len = 11 },
	{ .text = "first", .len = 5 },
	{ .text = "second", .len = 6 },
	{ .mime = "image/png", .text = "\1\2", .len = 2 },
};

static const struct llm_call calls[] = {
	{ "a", "execute_bash", "{\"command\":\"ls\"}", 16 },
	{ "b", "execute_bash", "{\"command\":\"pwd\"}", 17 },
};

static const struct llm_message messages[] = {
	{ .role = MT_ROLE_SYSTEM, .parts = &parts[0], .part_count = 1, .stamp = 1 },
	{ .role = MT_ROLE_USER, .parts = &parts[1], .part_count = 1, .stamp = 2 },
	{ .role = MT_ROLE_ASSISTANT, .parts = &parts[2], .part_count = 1, .calls = calls,
	  .call_count = 2, .opaque = "[\"a\"]", .opaque_len = 5, .stamp = 3 },
	{ .role = MT_ROLE_TOOL, .parts = &parts[3], .part_count = 1, .calls = &calls[0],
	  .call_count = 1 },
	{ .role = MT_ROLE_TOOL, .parts = &parts[5], .part_count = 1, .calls = &calls[1],
	  .call_count = 1, .cache = true },
	{ .role = MT_ROLE_USER, .parts = &parts[4], .part_count = 1 },
};

static struct llm_request *build(size_t from, size_t count, size_t tool_count)
{
	struct llm_request *r = llm_request_new();

	for (size_t i = from; r && i < from + count; i++)
		if (llm_request_add(r, &messages[i]))
			return llm_request_free(r);
	for (size_t i = 0; r && i < tool_count; i++)
		if (llm_request_tool(r, &tools[i]))
			return llm_request_free(r);
	return r;
}

static int convert(const struct llm_request *in, bool example, struct llm_request **ret)
{
	AUTO(llm_request) struct llm_request *single = NULL;
	int status = fncall_split_calls(in, true, &single, NULL);

	return status ? status : fncall_encode_request(single, example, ret, NULL);
}

/* The whole request as one text. */
static void print(const struct llm_request *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->message_count; i++) {
		const struct llm_message *m = &r->messages[i];

		strbuf_addf(out, "%d%s:", m->role, m->cache ? "*" : "");
		for (size_t p = 0; p < m->part_count; p++) {
			strbuf_add(out, m->parts[p].mime ? "(image)" : "[");
			if (!m->parts[p].mime)
				strbuf_addn(out, m->parts[p].text, m->parts[p].len);
			strbuf_add(out, m->parts[p].mime ? "" : "]");
		}
		strbuf_add(out, m->call_count || m->opaque || m->stamp ? "!\n" : "\n");
	}
}

static void a_request(void)
{
	AUTO(llm_request) struct llm_request *in = build(0, 6, 1), *out = NULL;
	AUTO(llm_request) struct llm_request *again = NULL;
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20), same = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf want = STRBUF(1 << 20);

	CHECK(convert(in, true, &out) == MT_OK && convert(in, true, &again) == MT_OK);
	print(out, &got);
	print(again, &same);
	CHECK_STR(got.text, same.text);
	strbuf_addf(&want, "1:[Be brief.%s", fncall_suffix_head);
	fncall_describe_tools(tools, 1, &want);
	strbuf_addf(&want, "%s]\n2:[", fncall_suffix_tail);
	fncall_example(tools, 1, &want);
	strbuf_addf(&want, "do it%s]\n", fncall_example_tail);
	strbuf_add(&want,
		   "3:[two at once\n\n<function=execute_bash>\n<parameter=command>ls"
		   "</parameter>\n</function>]\n"
		   "2:[EXECUTION RESULT of [execute_bash]:\nfirst]\n"
		   "3:[<function=execute_bash>\n<parameter=command>pwd</parameter>\n"
		   "</function>]\n"
		   "2*:[EXECUTION RESULT of [execute_bash]:\n](image)\n"
		   "2:[second]\n");
	CHECK_STR(got.text, want.text);
	CHECK(out->tool_count == 0);
}

static void requests_with_less(void)
{
	AUTO(llm_request) struct llm_request *no_system = build(1, 1, 3);
	AUTO(llm_request) struct llm_request *no_tools = build(0, 4, 0);
	AUTO(llm_request) struct llm_request *out = NULL, *plain = NULL;
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

	CHECK(convert(no_system, false, &out) == MT_OK && out->message_count == 2);
	CHECK(out->messages[0].role == MT_ROLE_SYSTEM);
	CHECK(convert(no_tools, true, &plain) == MT_OK);
	print(plain, &got);
	CHECK_STR(got.text,
		  "1:[Be brief.]\n2:[do it]\n"
		  "3:[two at once\n\n<function=execute_bash>\n<parameter=command>ls"
		  "</parameter>\n</function>]\n"
		  "2:[EXECUTION RESULT of [execute_bash]:\nfirst]\n");
}

static void an_example_of_what_is_there(void)
{
	static const struct llm_tool sets[][2] = {
		{ { .name = "file_editor" }, { .name = "finish" } },
		{ { .name = "edit_file" }, { .name = "browser" } },
		{ { .name = "probe" }, { .name = "think" } },
	};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
		struct fncalls found;
		AUTO(fncall_tools) struct fncall_tools *t = fncall_tools_new(sets[i], 2);
		size_t odd = 0;

		CHECK(fncall_example(sets[i], 2, &text) == MT_OK);
		CHECK((text.len == 0) == (i == 2));
		CHECK(fncall_parse(text.text, text.len, t, &found, NULL) == MT_OK);
		for (size_t n = 0; n < found.count; n++)
			odd += found.calls[n].fault != FNCALL_OK;
		CHECK_MSG(odd == 0 && (found.count > 0) == (i < 2),
			  "example %zu: %zu calls, %zu odd", i, found.count, odd);
		CHECK(!strstr(text.text, "<function=@") && !strstr(text.text, "[@]"));
		fncalls_clear(&found);
	}
}

/* A tool that asks for the risk of a call is shown with one. */
static void an_example_with_risks(void)
{
	static const struct llm_tool risky[] = {
		{ .name = "execute_bash", .schema = "{\"properties\":{\"command\":{},"
						    "\"security_risk\":{}}}" },
		{ .name = "finish", .schema = "{\"properties\":{\"message\":{}}}" },
	};
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	size_t made = 0, risks = 0;

	CHECK(fncall_example(risky, 2, &text) == MT_OK);
	for (const char *p = text.text; (p = strstr(p, "<function=execute_bash>")); p++)
		made++;
	for (const char *p = text.text; (p = strstr(p, "<parameter=security_risk>")); p++)
		risks++;
	CHECK_MSG(made > 0 && made == risks, "%zu calls, %zu risks", made, risks);
}

/* Round trip. */
static void the_way_back(void)
{
	AUTO(llm_request) struct llm_request *in = build(0, 4, 1), *text = NULL;
	AUTO(llm_request) struct llm_request *back = NULL;
	enum fncall_fault fault;
	struct error err = ERROR_NONE;

	CHECK(convert(in, true, &text) == MT_OK);
	CHECK_MSG(decode_history(text, known, tools, 1, &back, &fault, &err) == MT_OK,
		  "%s", err.text);
	if (!back)
		return;
	CHECK(back->message_count == 4);
	CHECK_STR(back->messages[0].parts[0].text, "Be brief.");
	CHECK_STR(back->messages[1].parts[0].text, "do it");
	CHECK_STR(back->messages[2].parts[0].text, "two at once");
	CHECK_STR(back->messages[2].calls[0].args, "{\"command\":\"ls\"}");
	CHECK_STR(back->messages[2].calls[0].id, "toolu_01");
	CHECK(back->messages[3].role == MT_ROLE_TOOL);
	CHECK_STR(back->messages[3].parts[0].text, "first");
	CHECK_STR(back->messages[3].calls[0].id, "toolu_01");
}

/* ---- without memory --------------------------------------------------------- */

static void no_memory(void)
{
	AUTO(llm_request) struct llm_request *in = build(0, 6, 4);
	static const char text[] = "Look.\n" BASH("ls") BASH("pwd") TYPED("e", " z ");

	OOM_EACH({
		struct llm_request *out = NULL;
		struct fncall_tools *t = NULL;
		struct fncalls found;
		enum fncall_fault fault;

		if (convert(in, true, &out) == MT_OK &&
		    (t = fncall_tools_new(tools, TOOLS))) {
			struct llm_request *back = NULL;

			decode_history(out, t, tools, TOOLS, &back, &fault, NULL);
			llm_request_free(back);
			if (fncall_parse(text, strlen(text), t, &found, NULL) == MT_OK)
				fncalls_clear(&found);
		}
		fncall_tools_free(t);
		llm_request_free(out);
	});
	CHECK_OOM();
}

int main(void)
{
	known = fncall_tools_new(tools, TOOLS);
	reading();
	cut_anywhere();
	calls_in_other_forms();
	other_forms_without_memory();
	long_texts();
	writing();
	a_request();
	requests_with_less();
	an_example_of_what_is_there();
	an_example_with_risks();
	the_way_back();
	no_memory();
	fncall_tools_free(known);
	return tap_done();
}
