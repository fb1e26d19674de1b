/* SPDX-License-Identifier: MIT
 *
 * test-script.c - the scripted model, from its file to a reply. */
#include "bench.h"
#include "files.h"
#include "llm/script-write.h"
#include "tap.h"

static const char *const none[] = { NULL };
static char folder[] = "/tmp/mortise-script-XXXXXX";
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
	CHECK_MSG(bench_open(&b, uv_default_loop(), model, none), "opened: %s", b.err.text);
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
	CHECK_MSG(!r.reply && strstr(r.error.text, "has 2 turns and is asked for turn 3"),
		  "the script is over: %s", r.error.text);
	result_clear(&r);
	bench_close(&b);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/a.script", folder);
	snprintf(model, sizeof model, "script:%s", path);
	plays_turns();
	dir_remove(folder, NULL);
	return tap_done();
}
