/* SPDX-License-Identifier: MIT
 *
 * test-script.c - the scripted model, from its file to a reply. */
#include "bench.h"
#include "files.h"
#include "request/script-writer.h"
#include "tap.h"

static const char *const none[] = { NULL };
static char dir[] = "/tmp/mortise-script-XXXXXX";
static char path[256], model[300];

static void write_script(const char *text, size_t len)
{
	struct error err = ERROR_NONE;

	if (file_write(path, text, len, 0600, false, &err))
		printf("# %s\n", err.text);
}

static void say(const char *text)
{
	write_script(text, strlen(text));
}

static void plays_turns(void)
{
	struct result r = { 0 };
	struct bench b;
	AUTO(llm_request) struct llm_request *q = ask("fix the bug");

	say("# a comment\n[turn]\ntext = I look.\nusage = input 10, output 3, cost 0.5\n"
	    "[call bash]\ncommand = ls -la\ntimeout := 10\n"
	    "[call editor]\nold <<END\n a\n\nb \nEND\n\n"
	    "[turn]\nreasoning = hm\ntext <<X\nall\ndone\n\nX\nstop = length\n");
	CHECK_MSG(bench_open(&b, uv_default_loop(), model, none), "opened: %s",
		  b.err.text);
	CHECK_STR(llm_name(b.llm), model);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_MSG(r.reply, "a reply: %s", r.error.text);
	if (!r.reply)
		return;
	CHECK_STR(r.reply->text, "I look.");
	CHECK_STR(r.text.text, "I look.");
	CHECK(r.reply->call_count == 2);
	CHECK_STR(r.reply->calls[0].name, "bash");
	CHECK_STR(r.reply->calls[0].id, "call_0_0");
	CHECK_STR(r.reply->calls[0].args, "{\"command\":\"ls -la\",\"timeout\":10}");
	CHECK_STR(r.reply->calls[1].args, "{\"old\":\" a\\n\\nb \"}");
	CHECK_STR(r.reply->stop_reason, "tool_calls");
	CHECK_STR(r.reply->response_id, "reply_0");
	CHECK(r.reply->usage.input == 10 && llm_metrics(b.llm)->cost == 0.5);
	bench_send(&b, q, 1, NULL, &r);
	CHECK_STR(r.reply ? r.reply->text : "", "all\ndone\n");
	CHECK_STR(r.reply ? r.reply->reasoning : "", "hm");
	CHECK_STR(r.reply ? r.reply->stop_reason : "", "length");
	bench_send(&b, q, 2, NULL, &r);
	CHECK_MSG(!r.reply &&
			  strstr(r.error.text, "has 2 turns, but turn 3 was requested"),
		  "the script is over: %s", r.error.text);
	result_clear(&r);
	bench_close(&b);
}

/* ---- expectations and errors ------------------------------------------------- */

static const struct {
	const char *script;
	const char *says;  /* NULL: it is answered */
} checks[] = {
	{ "[turn]\nexpect last contains = bug\nexpect role = user\nexpect messages = 1\n"
	  "expect user is = fix the bug\nexpect any lacks = cat\ntext = ok",
	  NULL },
	{ "[turn]\nexpect last contains = cat\n",
	  "a.script:2: expected the last message to contain \"cat\", got \"fix the "
	  "bug\"" },
	{ "[turn]\n\nexpect last lacks <<E\nbug\nE\n",
	  ":3: expected the last message to lack \"bug\", got" },
	{ "[turn]\nexpect user contains = cat\n",
	  ":2: expected a user message to contain \"cat\", got \"fix the bug\"" },
	{ "[turn]\nexpect user lacks = bug\n", ":2: expected every user message" },
	{ "[turn]\nexpect any contains = cat\n", ":2: expected any message to contain" },
	{ "[turn]\nexpect any lacks = bug\n", ":2: expected every message to lack" },
	{ "[turn]\nexpect system contains = x\n",
	  ":2: expected the system message, but there is none" },
	{ "[turn]\nexpect role = tool\n",
	  "role of the last message to be \"tool\", got \"user\"" },
	{ "[turn]\nexpect messages = 3\n", "messages to be \"3\", got \"1\"" },
	{ "[turn]\nexpect tool = bash\n", "expected the tool bash, got no tools" },
	{ "[turn]\nexpect no tool = bash\n", NULL },
	{ "[turn]\nexpect tools contains = bash\n", "expected the tools to contain" },
	{ "[turn]\nexpect tools lacks = bash\n", NULL },
	{ "", "has no [turn]" },
	{ "text = x", ":1: missing first turn" },
	{ "[turn]\ntext = x\ntext = y", ":3: duplicate key `text`" },
	{ "[turn]\nwords = x", ":2: unknown key `words` of a turn" },
	{ "[turn]\nexpect luck = x", ":2: unknown expectation `luck`" },
	{ "[turn]\ntext <<END\nx\n", ":2: the text that starts here is not terminated" },
	{ "[turn]\n[call]\nx = 1", ":2: the call has no name" },
	{ "[turn]\n[call bash]\nx := {", ":3: the value of `x` is not JSON" },
	{ "[turn]\n[call bash]\nx = 1\nx = 2", ":4: duplicate argument `x`" },
	{ "[turn]\n[call bash]\nx = 1\n@args = {}",
	  ":4: the call already has arguments" },
	{ "[turn]\n[call bash]\n@args = {}\nx = 1", ":4: the call already has @args" },
	{ "[turn]\n[call bash]\n@more = 1", ":3: unknown key `@more` of a call" },
	{ "[call bash]", ":1: a call must follow a turn" },
	{ "[turns]", ":1: unknown section [turns]" },
	{ "[turn", ":1: `]` is missing" },
	{ "[turn]\nhello", ":2: invalid line; use [turn]" },
	{ "[turn]\n= x", ":2: missing key" },
	{ "[turn]\nerror = bad_luck", ":2: unknown error `bad_luck`" },
	{ "[turn]\ndelay = soon", ":2: `soon` is not a duration" },
	{ "[turn]\nusage = apples 3", ":2: invalid usage `apples 3`" },
	{ "[turn]\nerror = context_window: full", "full; condense it" },
	{ "[turn]\nerror = overloaded\nerror times = 2\nerror wait = 1ms\ntext = at last",
	  NULL },
	{ "\xef\xbb\xbf; a comment\r\n[turn]\r\ntext <<END\r\nx\r\nEND\r\n", NULL },
	{ "[turn]\ndelay = 2ms\ntext =\n", NULL },
};

static void checks_and_errors(void)
{
	static const char *const quick[] = { "llm.retries=3", "llm.retry_min_wait=1ms",
					     NULL };
	AUTO(llm_request) struct llm_request *q = ask("fix the bug");
	struct result r = { 0 };
	struct bench b;

	if (!bench_open(&b, uv_default_loop(), model, quick))
		CHECK_MSG(0, "%s", b.err.text);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		say(checks[i].script);
		bench_send(&b, q, 0, NULL, &r);
		if (checks[i].says)
			CHECK_MSG(!r.reply && strstr(r.error.text, checks[i].says), "%s",
				  r.error.text);
		else
			CHECK_MSG(r.reply, "case %zu is answered: %s", i, r.error.text);
	}
	write_script("[turn]\n[call x]\na <<E\n1\0002\nE\n", 28);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_STR(r.reply ? r.reply->calls[0].args : "", "{\"a\":\"1\\u00002\"}");
	remove(path);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_MSG(!r.reply && strstr(r.error.text, path), "%s", r.error.text);
	result_clear(&r);
	bench_close(&b);
}

/* ---- writing ------------------------------------------------------------------ */

static const char *const texts[] = {
	"",
	"plain",
	" space before",
	"space after ",
	"tab\tinside",
	"two\nlines",
	"ends\n",
	"\n",
	"\n\n",
	"END",
	"a\nEND\nb\n",
	"END\r\nEND2\n\r",
	"\r\n",
	"# no comment",
	"[turn]\ntext = x",
	"key = value",
	"<<END",
	"\xff\xfe not UTF-8",
	"ä 日本 \"q\" \\",
	"\x1b[31m\x7f",
	"a = b = c",
	"trailing\\",
};

static const char *const arguments[] = {
	"{}",
	"{\"command\":\"ls\"}",
	"{\"command\": \"ls\"}",
	"{ }",
	"",
	"not json",
	"[1,2]",
	"{\"a\":\"\",\"b\":\" x \",\"c\":\"1\\n2\\n\",\"d\":[1,{\"e\":null}],\"f\":1.50}",
	"{\"a\":1,\"a\":2}",
	"{\"a b\":1}",
	"{\"@id\":\"x\"}",
	"{\"key\":\"\\u0000\"}",
	"{\"a\":\"\\u00e4\"}",
	"{\"a\":\"ä\"}",
	"{\"a\":\"END\\nEND2\"}",
	"{\"n\":1e400}",
	"{\"n\":-0}",
	"{\"n\":12345678901234567890}",
	"{\"a\":null,\"b\":true}",
	"{\"a\":1",
	"\n{}\n",
	"{\"\":1}",
	"{\"a\":\"/\"}",
	"{\"a\":\"\\/\"}",
};

/* Written text is read back unchanged. */
static void round_trip(struct bench *b, struct llm_request *q, const char *text,
		       const char *args, const char *name)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct result r = { 0 };
	struct llm_call call = { "id", name, args, strlen(args) };
	struct llm_reply reply = {
		.text = (char *)(uintptr_t)text, .text_len = strlen(text),
		.reasoning = (char *)(uintptr_t)text, .calls = &call, .call_count = 1,
		.response_id = (char[]){ "r" }, .model = (char[]){ "m" },
		.stop_reason = (char[]){ "tool_calls" },
		.usage = { 1, 2, 3, -1, 0, 0.125 },
	};
	bool same;

	script_write_reply(&out, &reply);
	write_script(out.text, out.len);
	bench_send(b, q, 0, NULL, &r);
	same = r.reply && r.reply->text_len == reply.text_len &&
	       strcmp(r.reply->text, text) == 0 &&
	       strcmp(r.reply->reasoning, text) == 0 && r.reply->call_count == 1 &&
	       strcmp(r.reply->calls[0].args, *args ? args : "{}") == 0 &&
	       strcmp(r.reply->calls[0].name, name) == 0 &&
	       strcmp(r.reply->stop_reason, "tool_calls") == 0 &&
	       memcmp(&r.reply->usage, &reply.usage, sizeof reply.usage) == 0;
	CHECK_MSG(same, "round trip of %zu and %zu bytes", strlen(text), strlen(args));
	if (!same)
		printf("# %s\n# %s\n", r.error.text,
		       r.reply ? r.reply->calls[0].args : "");
	result_clear(&r);
}

static void writing(void)
{
	static const char *const call_names[] = { "bash", "", "]x[", "a b", "n\nl" };
	AUTO(llm_request) struct llm_request *q = ask("x");
	struct bench b;

	write_script("[turn]\n", 7); /* it has to be there */
	if (!bench_open(&b, uv_default_loop(), model, none))
		CHECK_MSG(0, "%s", b.err.text);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		AUTO(strbuf) struct strbuf args = STRBUF(4096);

		round_trip(&b, q, texts[i], "{}", "bash");
		round_trip(&b, q, "x", texts[i], "bash");
		strbuf_add(&args, "{\"k\":");
		js_put_str(&args, texts[i], strlen(texts[i]));
		strbuf_add(&args, "}");
		round_trip(&b, q, "x", args.text, "bash");
	}
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		round_trip(&b, q, "x", arguments[i], "bash");
	for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++)
		round_trip(&b, q, "x", "{}", call_names[i]);
	bench_close(&b);
}

static void reads_well(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct llm_call calls[] = {
		{ "c", "bash", "{\"command\":\"ls\",\"timeout\":5}", 30 },
		{ "d", "editor", "{\"text\":\"a\\nb\\n\"}", 17 },
	};
	struct llm_reply reply = {
		.text = (char[]){ "I look." }, .text_len = 7, .reasoning = (char[]){ "" },
		.calls = calls, .call_count = 2, .stop_reason = (char[]){ "tool_calls" },
		.usage = { 10, 2, -1, -1, -1, -1 },
	};

	calls[0].args_len = strlen(calls[0].args);
	calls[1].args_len = strlen(calls[1].args);
	script_write_reply(&out, &reply);
	CHECK_STR(out.text, "[turn]\ntext = I look.\nusage = input 10, output 2\n\n"
			    "[call bash]\ncommand = ls\ntimeout := 5\n\n"
			    "[call editor]\ntext <<END\na\nb\n\nEND\n");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/a.script", dir);
	snprintf(model, sizeof model, "script:%s", path);
	plays_turns();
	checks_and_errors();
	writing();
	reads_well();
	dir_remove(dir, NULL);
	return tap_done();
}
