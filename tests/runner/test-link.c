/* SPDX-License-Identifier: MIT
 *
 * test-link.c - host and runner together: calls, results of every form, live
 * output, input, questions, lists, cancel. */
#include "kit.h"
#include "js.h"

static void check_simple(struct kit *k)
{
	const struct outcome *o =
		kit_call(k, "bad", "do",
			 "{\"what\":\"echo\",\"text\":\"h\\u00e9\\n\\\"\"}");

	CHECK(k->ready);
	CHECK(o->status == MT_OK && !o->crashed);
	CHECK_STR(o->text, "h\xc3\xa9\n\"");
	CHECK_STR(o->error, "");
	o = kit_call(k, "bad", "do", "{\"what\":\"free_early\"}");
	CHECK_STR(o->text, "a text that is gone at once");
	CHECK_STR(o->fields, "{ \"kept\": \"a value\" }");
	o = kit_call(k, "bad", "do", "{\"what\":\"bytes\"}");
	CHECK_STR(o->text, "bad \xef\xbf\xbd\xef\xbf\xbd( bytes \xef\xbf\xbd");
	o = kit_call(k, "bad", "do", "{\"what\":\"fail_after_text\"}");
	CHECK(o->status == MT_ENOTFOUND && !o->crashed);
	CHECK_STR(o->text, "text before");
	CHECK_STR(o->error, "there is no such thing");
	o = kit_call(k, "bad", "do", "{\"what\":\"odd_status\"}");
	CHECK_STR(o->error, "`do` returned the invalid status 17");
	o = kit_call(k, "bad", "do", "{\"what\":\"places\"}");
	CHECK_STR(o->text, "/tmp");
	o = kit_call(k, "bad", "nothing", "{}");
	CHECK_STR(o->error, "`bad` has no tool `nothing`");
	o = kit_call(k, "missing", "do", "{}");
	CHECK_STR(o->error, "unknown toolset `missing`");
	o = kit_call(k, "bad", "do", "[]");
	CHECK_STR(o->error, "`arguments` must be an object");
}

static void check_media(struct kit *k)
{
	const struct outcome *o = kit_call(k, "bad", "do", "{\"what\":\"image\"}");
	unsigned sum = 0;

	for (size_t n = 0; n < 100000; n++)
		sum = sum * 31 + (unsigned char)(n * 7 + n / 251);
	CHECK_STR(o->text, "a picture");
	CHECK(o->media_count == 1 && o->media_len == 100000);
	CHECK_STR(o->mime, "image/png");
	CHECK_MSG(o->media_sum == sum, "every byte of the picture arrived");
}

static void check_floods(struct kit *k)
{
	const struct outcome *o = kit_call(k, "bad", "do", "{\"what\":\"reply_flood\"}");
	struct stat st;

	CHECK_MSG(o->status == MT_OK && o->text_len == 1 << 20 && o->cut,
		  "a reply of 1 GB is cut at its limit, and told");
	CHECK(o->text[0] == 'r' &&
	      strstr(o->text, "\n[The output is long; its beginning is in /"));
	CHECK_MSG(o->spool && stat(o->spool, &st) == 0 && st.st_size == 8 << 20,
		  "and what the tool does not keep itself is kept");
	if (o->spool)
		unlink(o->spool);
	o = kit_call(k, "bad", "do", "{\"what\":\"output_flood\"}");
	CHECK_STR(o->text, "flooded");
	CHECK(k->output.len > 0);
	o = kit_call(k, "bad", "do", "{\"what\":\"print_flood\"}");
	CHECK_STR(o->text, "printed");
	KIT_UNTIL(k, strstr(k->logs.text, "bad.so: line 0 of very many"));
	CHECK_MSG(k->logs.len < 1 << 16, "a flood of prints is limited");
	CHECK(o->spool == NULL);
	o = kit_call(k, "bad", "do", "{\"what\":\"spool_flood\"}");
	CHECK(o->spool && o->spool_full);
	CHECK_MSG(o->spool && stat(o->spool, &st) == 0 && st.st_size == 8 << 20 &&
			  (st.st_mode & 0777) == 0600,
		  "the spool ends at its cap and is private");
	if (o->spool)
		unlink(o->spool);
}

static void check_live(struct kit *k)
{
	const struct outcome *o;

	strbuf_reset(&k->output);
	k->progress = 0;
	o = kit_call(k, "bad", "do", "{\"what\":\"live\"}");
	CHECK_STR(o->text, "done");
	CHECK_STR(k->output.text, "first caf\xc3\xa9 last");
	CHECK(k->progress == 1);
	CHECK_STR(k->progress_message, "one of four");
}

static void check_cancel(struct kit *k)
{
	const struct outcome *o;

	strbuf_reset(&k->output);
	o = kit_start(k, 100, "bad", "do", "{\"what\":\"wait_cancel\"}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "waiting"));
	runner_cancel(k->link, 100);
	runner_cancel(k->link, 100);
	KIT_UNTIL(k, o->done);
	CHECK(o->status == MT_ECANCELLED && !o->crashed);
	CHECK_STR(o->text, "what there was");
	CHECK(o->spool != NULL);
	runner_cancel(k->link, 100);
	runner_cancel(k->link, 12345);

	o = kit_start(k, 101, "bad", "do", "{\"what\":\"wait_cancel\"}", 50);
	KIT_UNTIL(k, o->done);
	CHECK(o->status == MT_ETIMEOUT && !o->crashed);
	CHECK_STR(o->error, "`do` of `bad` (call 101) did not finish within 50 ms");
	CHECK_STR(o->text, "what there was");

	/* One that waits in the queue behind another ends without running. */
	strbuf_reset(&k->output);
	kit_start(k, 102, "bad", "do", "{\"what\":\"wait_cancel\"}", -1);
	kit_start(k, 103, "bad", "do", "{\"what\":\"echo\",\"text\":\"x\"}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "waiting"));
	runner_cancel(k->link, 103);
	runner_cancel(k->link, 102);
	KIT_UNTIL(k, k->calls[102].done && k->calls[103].done);
	CHECK(k->calls[103].status == MT_ECANCELLED);
	CHECK_STR(k->calls[103].text, "");
}

static void check_requests(struct kit *k)
{
	static const struct {
		const char *args;
		int status;
		const char *answer, *asked, *text, *error;
	} cases[] = {
		{ "{\"what\":\"ask\",\"params\":{\"question\":\"which?\"}}", MT_OK,
		  "{\"answer\":\"this\"}", "user/ask {\"question\":\"which?\"}",
		  "{\"answer\":\"this\"}", "" },
		{ "{\"what\":\"ask\",\"method\":\"model/complete\"}", MT_EUNSUPPORTED,
		  "no model here", "model/complete {}", "", "refused: no model here" },
		{ "{\"what\":\"ask\",\"method\":\"secret/"
		  "get\",\"params\":{\"name\":\"TOKEN\"}}",
		  MT_OK, "{\"value\":\"s3cret\"}", "secret/get {\"name\":\"TOKEN\"}",
		  "{\"value\":\"s3cret\"}", "" },
		{ "{\"what\":\"ask\",\"method\":\"secret/"
		  "get\",\"params\":{\"name\":\"OTHER\"}}",
		  MT_EDENIED, "{\"value\":\"never\"}", "", "",
		  "refused: this secret is not granted to the tool" },
		{ "{\"what\":\"ask\",\"params\":7}", MT_EINVAL, "{}", "", "", NULL },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		const struct outcome *o;

		k->asked[0] = '\0';
		k->answer_status = cases[n].status;
		k->answer = cases[n].answer;
		o = kit_call(k, "bad", "do", cases[n].args);
		CHECK_STR(k->asked, cases[n].asked);
		CHECK_STR(o->text, cases[n].text);
		CHECK(o->status == cases[n].status);
		if (cases[n].error)
			CHECK_STR(o->error, cases[n].error);
	}
	k->answer = NULL;
}

static void check_many_requests(struct kit *k)
{
	static const char *const of_five[] = { "5~0{\"text\":\"a\"} ", "5~0{} ",
					       "5=0{\"text\":\"all\"} " };
	const struct outcome *o;
	const char *at;

	k->answer = NULL;
	k->asking_count = 0;
	strbuf_reset(&k->output);
	o = kit_start(k, 112, "bad", "do", "{\"what\":\"ask_many\"}", -1);
	KIT_UNTIL(k, k->asking_count == 8 && strstr(k->output.text, "submitted"));
	runner_piece(k->link, k->askings[5], "{\"text\":\"a\"}", 12);
	runner_piece(k->link, k->askings[5], "[]", 2);
	runner_piece(k->link, 4711, "{}", 2);
	runner_piece(k->link, k->askings[5], "{}", 2);
	runner_answer(k->link, k->askings[5], MT_OK, "{\"text\":\"all\"}", 14);
	runner_piece(k->link, k->askings[5], "{\"text\":\"late\"}", 15);
	runner_answer(k->link, k->askings[0], MT_EDENIED, "no", 2);
	for (int n = 7; n > 0; n--)
		if (n != 5)
			runner_answer(k->link, k->askings[n], MT_OK, "{}", 2);
	KIT_UNTIL(k, o->done);
	CHECK(o->status == MT_OK);
	at = o->text;
	/* Answers of other requests may be between them. */
	for (size_t n = 0; n < ARRAY_LEN(of_five); n++) {
		at = at ? strstr(at, of_five[n]) : NULL;
		CHECK_MSG(at, "%s, in order: %s", of_five[n], o->text);
	}
	CHECK_MSG(strstr(o->text, "0=-8no ") && strstr(o->text, "7=0{} ") &&
			  strstr(o->text, "1=0{} "),
		  "every request has one answer: %s", o->text);

	/* Those that are open end with their call. */
	k->asking_count = 0;
	strbuf_reset(&k->output);
	o = kit_start(k, 113, "bad", "do", "{\"what\":\"ask_many\"}", -1);
	KIT_UNTIL(k, k->asking_count == 8 && strstr(k->output.text, "submitted"));
	runner_cancel(k->link, 113);
	KIT_UNTIL(k, o->done);
	CHECK(o->status == MT_ECANCELLED && !o->crashed);
	for (int n = 0; n < 8; n++)
		runner_answer(k->link, k->askings[n], MT_OK, "{}", 2);
	CHECK_STR(kit_call(k, "bad", "do", "{\"what\":\"echo\",\"text\":\"on\"}")->text,
		  "on");
}

static void check_unanswered(struct kit *k)
{
	const struct outcome *o;

	k->asking = 0;
	o = kit_start(k, 110, "bad", "do", "{\"what\":\"ask\"}", -1);
	KIT_UNTIL(k, k->asking);
	runner_cancel(k->link, 110);
	KIT_UNTIL(k, o->done);
	CHECK_MSG(o->status == MT_ECANCELLED && !o->crashed,
		  "a question without an answer ends with its call");
	runner_answer(k->link, k->asking, MT_OK, "{}", 2);
	CHECK_STR(kit_call(k, "bad", "do", "{\"what\":\"echo\",\"text\":\"on\"}")->text,
		  "on");
}

static void check_parallel(struct kit *k)
{
	char args[64];
	int met = 0, once = 0;

	snprintf(args, sizeof args, "{\"count\":%d}", 100);
	for (int n = 0; n < 100; n++)
		kit_start(k, (uint64_t)n + 120, "many", "meet", args, -1);
	KIT_UNTIL(k, k->calls[120].done && k->calls[219].done);
	for (int n = 0; n < 100; n++) {
		KIT_UNTIL(k, k->calls[120 + n].done);
		met += k->calls[120 + n].text &&
		       strcmp(k->calls[120 + n].text, "met") == 0;
		once += k->calls[120 + n].times == 1;
	}
	CHECK_MSG(met == 100, "100 calls of a parallel set run at once");
	CHECK_MSG(once == 100, "each has one result");
}

static void check_input(struct kit *k)
{
	const struct outcome *o;

	strbuf_reset(&k->output);
	o = kit_start(k, 230, "many", "listen", "{}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "ready"));
	CHECK(runner_input(k->link, 230, "typed", 5) == MT_OK);
	KIT_UNTIL(k, o->done);
	CHECK_STR(o->text, "heard: typed");
	strbuf_reset(&k->output);
	o = kit_start(k, 231, "many", "listen", "{}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "ready"));
	CHECK(runner_input(k->link, 231, "\x03\xff", 2) == MT_OK);
	KIT_UNTIL(k, o->done);
	CHECK_STR(o->text, "heard: \x03\xef\xbf\xbd");
	CHECK(runner_input(k->link, 231, "x", 1) == MT_ENOTFOUND);
}

/* The list that a C function came from is replaced while it runs on another thread. */
static void check_list_renewed(struct kit *k)
{
	const struct outcome *o = kit_start(k, 232, "many", "held", "{}", -1);
	struct error err = ERROR_NONE;
	int count = k->tools_count;

	CHECK_STR(kit_call(k, "many", "entered", "{}")->text, "entered");
	CHECK(runner_list(k->link, "many", &err) == MT_OK);
	KIT_UNTIL(k, k->tools_count > count);
	CHECK_STR(kit_call(k, "many", "release", "{}")->text, "released");
	KIT_UNTIL(k, o->done);
	CHECK_STR(o->text, "{\"returns\":1,\"number_of_releases\":1}");
}

static void check_list(struct kit *k)
{
	struct error err = ERROR_NONE;

	CHECK(runner_list(k->link, "many", &err) == MT_OK);
	KIT_UNTIL(k, k->tools_count == 1);
	CHECK(strstr(k->tools, "{\"name\":\"meet\",\"description\":\"For tests.\","
			       "\"schema\":{\"type\":\"object\"},\"hints\":0}"));
	CHECK(!strstr(k->tools, "\"late\""));
	CHECK_STR(kit_call(k, "many", "late", "{}")->error, "`many` has no tool `late`");
	CHECK_STR(kit_call(k, "many", "grow", "{}")->text, "grown");
	KIT_UNTIL(k, k->tools_count == 2);
	CHECK_MSG(strstr(k->tools, "\"late\""), "a changed list comes by itself");
	CHECK_STR(kit_call(k, "many", "late", "{}")->text, "I came later");
	CHECK(runner_list(k->link, "functions", &err) == MT_OK);
	KIT_UNTIL(k, k->tools_count == 3);
	CHECK(strstr(
		k->tools,
		"{\"name\":\"color\",\"description\":\"For tests.\",\"schema\":"
		"{\"type\":\"object\",\"properties\":{\"which\":{\"type\":\"string\","
		"\"enum\":[\"RED\",\"GREEN\",\"NONE\"],\"description\":\"An "
		"argument.\"}},"
		"\"required\":[\"which\"],\"additionalProperties\":false},\"hints\":0}"));
	CHECK(runner_list(k->link, "newer-abi", &err) == MT_OK);
	KIT_UNTIL(k, k->tools_count == 4);
	CHECK_STR(k->tools, "null");
	CHECK(strstr(k->logs.text, "newer-abi: "));
}

static void check_big_argument(struct kit *k)
{
	size_t len = 3 << 20;
	char *args = malloc(len + 100);
	const struct outcome *o;
	int at = sprintf(args, "{\"what\":\"echo\",\"text\":\"");

	memset(args + at, 'a', len);
	strcpy(args + (size_t)at + len, "\"}");
	o = kit_call(k, "bad", "do", args);
	CHECK_MSG(o->text_len == 1 << 20 && o->cut, "an argument of 3 MB arrives");
	free(args);
}

static void check_options(void)
{
	json_object *options = json_object_new_object(), *no = json_object_new_object();
	struct runner_instance many[] = {
		{ .name = "one", .component = "many", .plugin = plugin_path("many.so"),
		  .options = options },
		{ .name = "two", .component = "many", .plugin = plugin_path("many.so") },
		{ .name = "three", .component = "many", .plugin = plugin_path("many.so"),
		  .options = no },
	};
	struct runner_spec spec;
	struct kit k;
	char *at;

	js_set_str(options, "name", "Ann");
	js_set_str(options, "size", "2M");
	js_set_str(options, "arg.x", "1");
	js_set_str(options, "arg.y", "2");
	js_set_str(no, "refuse", "a reason");
	kit_spec(&spec);
	spec.instances = many;
	spec.instance_count = 3;
	CHECK(kit_open_spec(&k, &spec));
	CHECK_STR(kit_call(&k, "one", "options", "{}")->text,
		  "name=Ann size=2097152 arg.x=1 arg.y=2");
	CHECK_STR(kit_call(&k, "two", "options", "{}")->text, "name=(unset) size=4096");
	CHECK_STR(kit_call(&k, "three", "options", "{}")->error,
		  "cannot open `three`: refused because of a reason");
	at = strdup(kit_call(&k, "one", "places", "{}")->text);
	CHECK(strncmp(at, "/tmp\n/", 6) == 0 && access(at + 5, W_OK) == 0);
	kit_done(&k);
	CHECK_MSG(access(at + 5, F_OK) != 0,
		  "the private directory is gone with the runner");
	free(at);
	json_object_put(options);
	json_object_put(no);
}

static void check_functions(struct kit *k)
{
	static const struct {
		const char *tool, *args, *text, *error;
	} cases[] = {
		{ "add", "{\"a\":1,\"b\":-3}", "-2", "" },
		{ "add", "{\"a\":9223372036854775807,\"b\":0}", "9223372036854775807",
		  "" },
		{ "add", "{\"a\":1}", "", "`b` is missing" },
		{ "add", "{\"a\":1.5,\"b\":1}", "", "`a` must be an integer" },
		{ "half", "{\"x\":3}", "1.5", "" },
		{ "half", "{\"x\":1e300}", "", "`x`: the number does not fit its type" },
		{ "minus_one", "{}", "-1", "" },
		{ "length", "{\"text\":\"four\"}", "4", "" },
		{ "length", "{}", "4242", "" },
		{ "length", "{\"text\":\"a\\u0000b\"}", "",
		  "`text` must not contain a NUL character" },
		{ "is_even", "{\"n\":18446744073709551614}", "true", "" },
		{ "is_even", "{\"n\":-2}", "",
		  "`n`: -2 is not between 0 and 18446744073709551615" },
		{ "color", "{\"which\":\"GREEN\"}", "green", "" },
		{ "color", "{\"which\":\"NONE\"}", "null", "" },
		{ "color", "{\"which\":\"BLUE\"}", "",
		  "`which`: BLUE is not one of RED=1|GREEN=2|NONE=3" },
		{ "count_byte", "{\"bytes\":\"banana\",\"wanted\":97}", "3", "" },
		{ "count_byte", "{\"bytes\":\"banana\",\"wanted\":2147483648}", "",
		  "`wanted`: 2147483648 is not between -2147483648 and 2147483647" },
		{ "divide", "{\"a\":17,\"b\":5}",
		  "{\"returns\":true,\"quotient\":3,\"rest\":2}", "" },
		{ "greet", "{\"name\":\"you\"}", "{\"text\":\"hello you\"}", "" },
		{ "fill", "{}", "{\"bytes\":{\"base64\":\"/wAB\"}}", "" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		const struct outcome *o =
			kit_call(k, "functions", cases[n].tool, cases[n].args);

		CHECK_STR(o->text, cases[n].text);
		CHECK_STR(o->error, cases[n].error);
	}
}

int main(void)
{
	struct runner_spec spec;
	struct kit k;

	kit_spec(&spec);
	spec.spool_max = 8 << 20;
	CHECK(kit_open_spec(&k, &spec));
	CHECK(runner_pid(k.link) > 0);
	check_simple(&k);
	check_media(&k);
	check_live(&k);
	check_cancel(&k);
	check_requests(&k);
	check_unanswered(&k);
	check_many_requests(&k);
	check_input(&k);
	check_list(&k);
	check_list_renewed(&k);
	check_parallel(&k);
	check_big_argument(&k);
	check_functions(&k);
	check_floods(&k);
	kit_done(&k);
	CHECK(k.closed);
	CHECK_STR(k.why.text, "the runner was stopped");
	check_options();
	CHECK_MSG(kit_all_gone(), "nothing is left running");
	return tap_done();
}
