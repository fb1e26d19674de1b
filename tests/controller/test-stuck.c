/* SPDX-License-Identifier: MIT
 *
 * test-stuck.c - finds loops in histories, where they begin, and the events to which
 * the user can rewind. */
#include "../events/logs.h"
#include "context/history.h"
#include "conversation/rewind.h"
#include "features/loop-detector.h"
#include "features/volatile-text.h"
#include "oom.h"

/* A history in letters: a to f are commands with a result of their own (A to F:
 * the same commands with another result), x a call that fails, X one that
 * became no action, g one that prints another time and size each time, k one that
 * prints other words each time, t a tool that fails, w waiting for a command that
 * still runs, W the same when none runs, j waiting for a job, y a command a that the user allowed, m and n messages of the agent, u one of the user, v one of
 * the environment, c a condensation, C one as V0 tells of it, e an edit in one line of
 * python, q a failed result of a server in V0's form, o a reported loop, . something
 * hidden. */
static void add(struct evlog *log, const char *json_text)
{
	AUTO(json) json_object *o = json(json_text);
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = o ? event_from_json(o, &err) : NULL;

	if (!e || evlog_append(log, e, &err))
		printf("# %s: %s\n", json_text, err.text);
}

static void add_command(struct evlog *log, char letter, int *thought)
{
	char text[256], low = (char)(letter | 0x20);
	int cause = (int)evlog_count(log);

	snprintf(text, sizeof text,
		 "{\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"%c\","
		 "\"thought\":\"t%d\"}}",
		 low, (*thought)++);
	add(log, text);
	if (low == 'g')
		snprintf(text, sizeof text,
			 "{\"source\":\"agent\",\"observation\":\"run\",\"cause\":%d,"
			 "\"content\":\"12:00:0%d took %d ms, %d%s at 0x%x\",\"extras\":"
			 "{\"command\":\"g\",\"metadata\":{\"exit_code\":0}}}",
			 cause, *thought % 10, *thought * 7, *thought,
			 *thought % 2 ? "00 kB" : ".2 MB", *thought * 99991);
	else if (low == 'k')
		snprintf(text, sizeof text,
			 "{\"source\":\"agent\",\"observation\":\"run\",\"cause\":%d,"
			 "\"content\":\"%.*s\",\"extras\":{\"command\":\"k\","
			 "\"metadata\":{\"exit_code\":0}}}",
			 cause, *thought, "zzzzzzzzzzzzzzz");
	else if (low == 'x')
		snprintf(text, sizeof text,
			 "{\"source\":\"agent\",\"observation\":\"error\",\"cause\":%d,"
			 "\"content\":\"failed %d\",\"extras\":{}}",
			 cause, *thought);
	else
		snprintf(text, sizeof text,
			 "{\"source\":\"agent\",\"observation\":\"run\",\"cause\":%d,"
			 "\"content\":\"%c\",\"extras\":{\"command\":\"%c\","
			 "\"metadata\":{\"exit_code\":0}}}",
			 cause, letter, low);
	add(log, text);
}

/* It is in the log twice; the second one is executed. */
static void add_allowed(struct evlog *log, int *thought)
{
	char text[256];
	int first = (int)evlog_count(log);

	snprintf(text, sizeof text,
		 "{\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"a\","
		 "\"thought\":\"t%d\",\"confirmation_state\":\"awaiting_confirmation\"}}",
		 (*thought)++);
	add(log, text);
	snprintf(text, sizeof text,
		 "{\"source\":\"agent\",\"action\":\"run\",\"confirms\":%d,\"args\":"
		 "{\"command\":\"a\",\"confirmation_state\":\"confirmed\"}}",
		 first);
	add(log, text);
	snprintf(text, sizeof text,
		 "{\"source\":\"agent\",\"observation\":\"run\",\"cause\":%d,"
		 "\"content\":\"a\",\"extras\":{\"command\":\"a\",\"metadata\":"
		 "{\"exit_code\":0}}}",
		 first + 1);
	add(log, text);
}

/* A call of a tool and its result. */
static void add_pair(struct evlog *log, const char *action, const char *result)
{
	char text[256];

	snprintf(text, sizeof text, "{\"source\":\"agent\",%s}", action);
	add(log, text);
	snprintf(text, sizeof text, "{\"source\":\"agent\",\"cause\":%d,%s}",
		 (int)evlog_count(log) - 1, result);
	add(log, text);
}

static bool add_call(struct evlog *log, char letter)
{
	static const struct {
		char letter;
		const char *action, *result;
	} calls[] = {
		{ 'w', "\"action\":\"run\",\"args\":{\"command\":\"\"}",
		  "\"observation\":\"run\",\"content\":\"\",\"extras\":{\"command\":\"\","
		  "\"metadata\":{\"exit_code\":-1}}" },
		{ 'W', "\"action\":\"run\",\"args\":{\"command\":\"\"}",
		  "\"observation\":\"run\",\"content\":\"ERROR: No previous\",\"extras\":"
		  "{\"command\":\"\",\"metadata\":{\"exit_code\":-1}}" },
		{ 'j', "\"action\":\"call_tool\",\"args\":{\"name\":\"background_job\","
		       "\"arguments\":{\"do\":\"wait\",\"id\":1}}",
		  "\"observation\":\"tool\",\"content\":\"nothing\",\"extras\":"
		  "{\"running\":true}" },
		{ 'J', "\"action\":\"call_tool\",\"args\":{\"name\":\"background_job\","
		       "\"arguments\":{\"do\":\"wait\",\"id\":1}}",
		  "\"observation\":\"tool\",\"content\":\"it ended\",\"extras\":{}" },
		{ 't', "\"action\":\"call_tool\",\"args\":{\"name\":\"wc\"}",
		  "\"observation\":\"tool\",\"content\":\"no\",\"extras\":"
		  "{\"is_error\":true}" },
		{ 'p', "\"action\":\"call_tool_mcp\",\"args\":{\"name\":\"wc\"}",
		  "\"observation\":\"mcp\",\"content\":\"no\",\"extras\":"
		  "{\"is_error\":true}" },
		{ 'q', "\"action\":\"call_tool_mcp\",\"args\":{\"name\":\"wc\"}",
		  "\"observation\":\"mcp\",\"content\":\"{\\\"isError\\\":true}\","
		  "\"extras\":{\"name\":\"wc\"}" },
		{ 'e', "\"action\":\"run_ipython\",\"args\":{\"code\":"
		       "\"edit_file_by_replace('a', 'b')\"}",
		  "\"observation\":\"run_ipython\",\"content\":\"no\",\"extras\":"
		  "{\"code\":\"\"}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (calls[i].letter == letter) {
			add_pair(log, calls[i].action, calls[i].result);
			return true;
		}
	return false;
}

static void add_letter(struct evlog *log, char letter, int *thought)
{
	static const struct {
		char letter;
		const char *text;
	} others[] = {
		{ 'X', "{\"source\":\"agent\",\"observation\":\"error\",\"content\":\"no\","
		       "\"extras\":{}}" },
		{ 'c', "{\"source\":\"agent\",\"action\":\"condensation\",\"args\":"
		       "{\"forgotten_event_ids\":[0]}}" },
		{ 'C', "{\"source\":\"agent\",\"observation\":\"condense\","
		       "\"content\":\"Trimming\",\"extras\":{}}" },
		{ 'o', "{\"source\":\"environment\",\"observation\":\"loop_detection\","
		       "\"content\":\"\",\"extras\":{}}" },
		{ '.', "{\"source\":\"environment\",\"observation\":\"agent_state_changed\","
		       "\"content\":\"\",\"extras\":{\"agent_state\":\"running\"}}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (others[i].letter == letter) {
			add(log, others[i].text);
			return;
		}
	if (add_call(log, letter))
		return;
	if (letter == 'y')
		add_allowed(log, thought);
	else if (letter == 'm' || letter == 'n')
		say(log, SOURCE_AGENT, letter == 'm' ? "one" : "two");
	else if (letter == 'u' || letter == 'v')
		say(log, letter == 'u' ? SOURCE_USER : SOURCE_ENVIRONMENT, "hello");
	else
		add_command(log, letter, thought);
}

static char newest[32]; /* the directory of the newest history */

static struct evlog *history_of(const char *letters)
{
	static int number;
	int thought = 0;
	struct evlog *log;

	snprintf(newest, sizeof newest, "h%d", number++);
	log = open_log(test_path(newest), EVLOG_CREATE, NULL);
	for (; *letters; letters++)
		add_letter(log, *letters, &thought);
	return log;
}

static const struct stuck_options usual = { .same = 4, .errors = 3, .monologue = 3,
					    .pattern = 6, .identical = 8, .blank = true };
/* As V1 compares (V0 with exit_code and thought besides). */
static const struct stuck_options exact = { .same = 4, .errors = 3, .monologue = 3,
					    .pattern = 6 };

static void test_kinds(void)
{
	static const struct {
		const char *letters;
		enum stuck_kind kind;
		int64_t start;
	} cases[] = {
		{ "", STUCK_NONE, -1 },
		{ "u", STUCK_NONE, -1 },
		{ "uaaa", STUCK_NONE, -1 },
		{ "uaaaa", STUCK_REPEAT, 1 },
		{ "ubaaaaa", STUCK_REPEAT, 3 },
		{ "uaaaA", STUCK_NONE, -1 },
		{ "uaaaab", STUCK_NONE, -1 },
		{ "ua.aa.a", STUCK_REPEAT, 1 },
		{ "uaauaa", STUCK_NONE, -1 },
		{ "uaavaa", STUCK_REPEAT, 1 },
		{ "uxx", STUCK_NONE, -1 },
		{ "uxxx", STUCK_ERRORS, 1 },
		{ "ubxxxx", STUCK_REPEAT, 3 },
		{ "uXXX", STUCK_NONE, -1 },
		{ "uXXXX", STUCK_ERRORS, 1 },
		{ "umm", STUCK_NONE, -1 },
		{ "ummm", STUCK_MONOLOGUE, 1 },
		{ "unmmvm", STUCK_MONOLOGUE, 2 },
		{ "umnm", STUCK_NONE, -1 },
		{ "ummam", STUCK_NONE, -1 },
		{ "uababa", STUCK_NONE, -1 },
		{ "uababab", STUCK_ALTERNATE, 1 },
		{ "ucababab", STUCK_ALTERNATE, 2 },
		{ "uababaB", STUCK_NONE, -1 },
		{ "ucccccccccc", STUCK_CONDENSING, 1 },
		{ "uccccccccc", STUCK_NONE, -1 },
		{ "ucaccccccccc", STUCK_CONDENSING, 4 },
		{ "uaaaaoaaa", STUCK_NONE, -1 },
		{ "uyyy", STUCK_NONE, -1 },
		{ "uyyyy", STUCK_REPEAT, 1 },
		{ "uybybyb", STUCK_ALTERNATE, 1 },
		{ "uaaaaoaaaa", STUCK_REPEAT, 10 },
		{ "uggg", STUCK_NONE, -1 },
		{ "ugggg", STUCK_REPEAT, 1 },
		{ "ugbgbgb", STUCK_ALTERNATE, 1 },
		{ "ukkkkkkk", STUCK_NONE, -1 },
		{ "ukkkkkkkk", STUCK_IDENTICAL, 1 },
		{ "ukkkkbkkkk", STUCK_NONE, -1 },
		{ "uawwwwwwwwwwwwwwwwwwww", STUCK_NONE, -1 },
		{ "uajjjjjjjjjjjjjjjjjjjj", STUCK_NONE, -1 },
		{ "uawawawa", STUCK_REPEAT, 1 },
		{ "uWWWW", STUCK_REPEAT, 1 },
		{ "uJJJJ", STUCK_REPEAT, 1 },
		{ "uttt", STUCK_ERRORS, 1 },
		{ "uppp", STUCK_ERRORS, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(evlog) struct evlog *log = history_of(cases[i].letters);
		struct stuck got = loop_detect_stuck(log, &usual);

		CHECK_MSG(got.kind == cases[i].kind && got.start == cases[i].start,
			  "%s: %s from %d", cases[i].letters, loop_stuck_name(got.kind),
			  (int)got.start);
	}
}

static void test_options(void)
{
	AUTO(evlog) struct evlog *user = history_of("uaauaa");
	AUTO(evlog) struct evlog *outputs = history_of("uaAaA");
	AUTO(evlog) struct evlog *alike = history_of("uaaaa");
	AUTO(evlog) struct evlog *numbers = history_of("ugggg");
	AUTO(evlog) struct evlog *waits = history_of("uwwww");
	AUTO(evlog) struct evlog *words = history_of("ukkkkkkkk");
	struct stuck_options o = usual;

	o.headless = true;
	CHECK_MSG(loop_detect_stuck(user, &o).kind == STUCK_REPEAT,
		  "headless: the whole history");
	CHECK_MSG(loop_detect_stuck(numbers, &exact).kind == STUCK_NONE,
		  "exact: numbers count");
	CHECK_MSG(loop_detect_stuck(waits, &exact).kind == STUCK_REPEAT,
		  "exact: waits count");
	CHECK_MSG(loop_detect_stuck(words, &exact).kind == STUCK_NONE,
		  "exact: results count");
	o = usual;
	o.exit_code = true;
	CHECK_MSG(loop_detect_stuck(outputs, &usual).kind == STUCK_NONE,
		  "outputs differ");
	CHECK_MSG(loop_detect_stuck(outputs, &o).kind == STUCK_REPEAT,
		  "exit codes do not");
	o = usual;
	o.thought = true;
	CHECK_MSG(loop_detect_stuck(alike, &o).kind == STUCK_NONE, "thoughts differ");
	o = usual;
	o.same = 5;
	CHECK_MSG(loop_detect_stuck(alike, &o).kind == STUCK_NONE, "another threshold");
	o.same = 2;
	CHECK_MSG(loop_detect_stuck(alike, &o).repeats == 2, "is reported");
	record(alike, "{\"record\":\"rewind\",\"to\":6}", NULL);
	CHECK_MSG(loop_detect_stuck(alike, &usual).kind == STUCK_NONE,
		  "what is undone is not seen");
}

/* Without the rules that were added, the answers are those of OpenHands. */
static void test_plain(void)
{
	static const struct {
		const char *letters;
		enum stuck_kind plain;
		int64_t plain_start;
		enum stuck_kind usual;
		int64_t usual_start;
	} cases[] = {
		{ "uaaaa", STUCK_REPEAT, 1, STUCK_REPEAT, 1 },
		{ "uaaaabaaaa", STUCK_REPEAT, 1, STUCK_REPEAT, 11 },
		{ "ubxxx", STUCK_ERRORS, 1, STUCK_ERRORS, 3 },
		{ "ubababab", STUCK_ALTERNATE, 3, STUCK_ALTERNATE, 1 },
		{ "ummmmm", STUCK_MONOLOGUE, 3, STUCK_MONOLOGUE, 1 },
		{ "uaXXXX", STUCK_NONE, -1, STUCK_ERRORS, 3 },
		{ "ueeee", STUCK_NONE, -1, STUCK_REPEAT, 1 },
		{ "uqqq", STUCK_NONE, -1, STUCK_ERRORS, 1 },
		{ "uttt", STUCK_ERRORS, 1, STUCK_ERRORS, 1 },
		{ "uaacaa", STUCK_NONE, -1, STUCK_REPEAT, 1 },
		{ "uCCCCCCCCCCab", STUCK_CONDENSING, 1, STUCK_NONE, -1 },
		{ "uCaCbCdCfCgCaCbCdCfC", STUCK_NONE, -1, STUCK_NONE, -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(evlog) struct evlog *log = history_of(cases[i].letters);
		struct stuck plain = loop_detect_stuck(log, &exact);
		struct stuck more = loop_detect_stuck(log, &usual);

		CHECK_MSG(plain.kind == cases[i].plain &&
				  plain.start == cases[i].plain_start,
			  "plain, %s: %s from %d", cases[i].letters,
			  loop_stuck_name(plain.kind), (int)plain.start);
		CHECK_MSG(more.kind == cases[i].usual &&
				  more.start == cases[i].usual_start,
			  "usual, %s: %s from %d", cases[i].letters,
			  loop_stuck_name(more.kind), (int)more.start);
	}
}

static void test_places(void)
{
	AUTO(evlog) struct evlog *log = history_of("uabu");

	CHECK_MSG(rewind_place(log, 5) == 5, "after a message");
	CHECK_MSG(rewind_place(log, 4) == 4, "after a result");
	CHECK_MSG(rewind_place(log, 3) == 2, "not between a call and its result");
	CHECK_MSG(rewind_place(log, 0) == 0, "at the start");
	record(log, "{\"record\":\"rewind\",\"to\":2}", NULL);
	CHECK_MSG(rewind_place(log, 5) == 2, "not where all is undone");
}

static void test_volatile(void)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "", "", true },
		{ "a", "", false },
		{ "took 3 ms", "took 1.2 s", true },
		{ "took 3 ms", "lost 3 ms", false },
		{ "Sat Nov 22 14:00:26 UTC 2026", "Sun Dec  3 01:10:00 UTC 2027", true },
		{ "2026-11-22T12:03:11.5+01:00 ok", "2027-01-02T01:00:00+00:00 ok", true },
		{ "at 0x7ffe10", "at 0xabcdef00", true },
		{ "commit 8460ff3", "commit c2fdc96", true },
		{ "id 123e4567-e89b-12d3-a456-426614174000",
		  "id aaaaaaa1-e89b-12d3-a456-42661417400f", true },
		{ "10.0.0.1:80 up", "192.168.1.20:8080 up", true },
		{ "-rw 1 root    900 a.c", "-rw 1 root  12345 a.c", true },
		{ "50% [==", "100% [==", true },
		{ "1m20s", "59s", true },
		{ "v2beta", "v3beta", true },
		{ "v2beta", "v2alpha", false },
		{ "defaced", "feedface", false },
		{ "a b", "a  b", true },
	};
	static char longest[1 << 20];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_MSG(volatile_text_same(cases[i].a, strlen(cases[i].a), cases[i].b,
					     strlen(cases[i].b)) == cases[i].same,
			  "%s / %s", cases[i].a, cases[i].b);
	for (size_t i = 0; i < sizeof longest; i++)
		longest[i] = "a1"[i % 2];
	CHECK_MSG(volatile_text_same(longest, sizeof longest, longest, sizeof longest),
		  "a very long word");
}

/* Events that a condensation forgot return when it is reverted. */
static void test_history(void)
{
	AUTO(evlog) struct evlog *log = history_of("uabc");
	struct history *h = history_new(log, 0);
	struct view_item *items = NULL;
	size_t count = 0;

	CHECK(history_view(h, &items, &count, NULL) == MT_OK);
	CHECK_MSG(count == 4, "one is forgotten");
	free(items);
	record(log, "{\"record\":\"rewind\",\"to\":4}", NULL);
	CHECK(history_view(h, &items, &count, NULL) == MT_OK);
	CHECK_MSG(count == 5 && items[0].event == 0, "and there again");
	free(items);
	history_free(h);
}

/* Without memory no loop is found, and nothing breaks. */
static void test_oom(void)
{
	struct stuck got = { .kind = STUCK_NONE };

	evlog_close(history_of("uababab"));
	OOM_EACH({
		AUTO(evlog) struct evlog *log =
			open_log(test_path(newest), EVLOG_READ, NULL);

		if (log)
			got = loop_detect_stuck(log, &usual);
	});
	CHECK(got.kind == STUCK_ALTERNATE);
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_kinds();
	test_options();
	test_plain();
	test_places();
	test_volatile();
	test_history();
	test_oom();
	dir_remove(top, NULL);
	return tap_done();
}
