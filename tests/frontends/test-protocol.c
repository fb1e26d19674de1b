/* SPDX-License-Identifier: MIT
 *
 * test-protocol.c - a session: commands and their results, events from the log,
 * a client that is slow, memory that runs out. */
#include "frontends/protocol.h"
#include "fake.h"
#include "oom.h"
#include "tap.h"

static const char *directory;

struct client {
	struct conversation *c;
	struct session *s;
	struct strbuf got; /* everything that was received */
};

static struct client client_new(int64_t from, bool live)
{
	struct session_options o = { .from = from, .live = live };
	struct client k = { .c = fake_new(directory), .got = STRBUF(512 << 20) };

	k.s = session_new(k.c, &o);
	return k;
}

static void client_free(struct client *k)
{
	session_free(k->s);
	fake_free(k->c);
	strbuf_clear(&k->got);
}

static void take(struct client *k)
{
	AUTO(strbuf) struct strbuf piece = STRBUF(512 << 20);

	while (session_take(k->s, &piece))
		strbuf_addn(&k->got, piece.text, piece.len);
}

static void feed(struct client *k, const char *text)
{
	session_feed(k->s, text, strlen(text));
	take(k);
}

/* The last line that was received, parsed. */
static json_object *last(struct client *k)
{
	size_t end = k->got.len ? k->got.len - 1 : 0, start = end;

	while (start > 0 && k->got.text[start - 1] != '\n')
		start--;
	return js_parse_object(k->got.text + start, end - start, NULL);
}

static size_t count_of(const struct strbuf *b, const char *what)
{
	size_t n = 0;

	for (const char *at = b->text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* ---- commands ------------------------------------------------------------ */

static void test_commands(void)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "{\"type\":\"message\",\"text\":\"hello\",\"id\":7}",
		  "{\"type\":\"result\",\"id\":7,\"ok\":true,\"event\":0}" },
		{ "{\"type\":\"pause\",\"id\":\"a\\u0000b\"}",
		  "{\"type\":\"result\",\"id\":\"a\\u0000b\",\"ok\":true}" },
		{ "{\"type\":\"pause\"}", "there is nothing to pause" },
		{ "{\"type\":\"resume\"}", "{\"type\":\"result\",\"ok\":true}" },
		{ "{\"type\":\"keep_alive\"}", "{\"type\":\"result\",\"ok\":true}" },
		{ "{\"type\":\"keep\"}", "{\"type\":\"result\",\"ok\":true}" },
		{ "{\"type\":\"confirm\"}", "\"error\":\"yes:  - -1 conversation -\"" },
		{ "{\"type\":\"confirm\",\"hash\":\"ab\",\"arguments\":{\"command\":\"ls\"}}",
		  "yes:  ab -1 conversation {\\\"command\\\":\\\"ls\\\"}" },
		{ "{\"type\":\"confirm\",\"hash\":\"ab\",\"always\":true,\"scope\":2,"
		  "\"keep\":\"project\"}",
		  "always:  ab 2 project -" },
		{ "{\"type\":\"confirm\",\"hash\":5}", "`hash` must be a string" },
		{ "{\"type\":\"confirm\",\"hash\":\"ab\",\"scope\":0}", "require `always`" },
		{ "{\"type\":\"confirm\",\"hash\":\"ab\",\"keep\":\"project\"}",
		  "require `always`" },
		{ "{\"type\":\"confirm\",\"always\":true,\"scope\":-1}", "an index into" },
		{ "{\"type\":\"confirm\",\"always\":true,\"keep\":\"x\"}",
		  "`keep` must be conversation or project" },
		{ "{\"type\":\"confirm\",\"action\":7}", "no longer waiting" },
		{ "{\"type\":\"reject\",\"reason\":\"why\"}", "no: why - -1" },
		{ "{\"type\":\"reject\",\"reason\":null,\"hash\":\"cd\"}", "no:  cd -1" },
		{ "{\"type\":\"approvals\"}",
		  "\"ok\":true,\"approvals\":[{\"text\":\"every `git` command\"}]" },
		{ "{\"type\":\"revoke\",\"text\":\"every `git` command\"}", "\"ok\":true" },
		{ "{\"type\":\"revoke\",\"text\":\"x\"}", "unknown approval `x`" },
		{ "{\"type\":\"revoke\"}", "`text` is missing" },
		{ "{\"type\":\"undo\"}", "\"text\":\"taken \\\"back\\\"\"" },
		{ "{\"type\":\"undo\",\"files\":true}", "\"files\":\"1 file\"" },
		{ "{\"type\":\"undo\",\"files\":false}", "\"text\":\"taken \\\"back\\\"\"}" },
		{ "{\"type\":\"undo\",\"messages\":2}", "nothing to take back" },
		{ "{\"type\":\"goal\",\"command\":\"make\"}", "\"text\":\"make\"" },
		{ "{\"type\":\"goal\"}", "\"text\":\"\"" },
		{ "{\"type\":\"skills\"}", "\"text\":\"no skills\"" },
		{ "{\"type\":\"permissions\",\"set\":[\"network=full\"]}",
		  "\"text\":\"profile  workspace\"" },
		{ "{\"type\":\"mcp\"}", "\"text\":\"no servers\",\"servers\":[]" },
		{ "{\"type\":\"answer\",\"question\":7}", "no tool asks that: -" },
		{ "{\"type\":\"answer\",\"question\":7,\"text\":\"x\"}", "asks that: x" },
		{ "{\"type\":\"answer\",\"text\":\"x\"}", "`question` is missing" },
		{ "{\"type\":\"input\",\"text\":\"y\\n\"}", "nothing reads: y " },
		{ "{\"type\":\"input\"}", "`text` is missing" },
		{ "{\"type\":\"rewind\",\"to\":3}", "\"ok\":true,\"to\":3" },
		{ "{\"type\":\"rewind\",\"to\":-4}", "no event -4" },
		{ "{\"type\":\"rewind\"}", "`to` is missing" },
		{ "{\"type\":\"recover\",\"option\":9}", "option 9" },
		{ "{\"type\":\"action\",\"action\":{\"action\":\"run\",\"args\":{"
		  "\"command\":"
		  "\"ls\"}}}",
		  "\"ok\":true,\"event\":1}" },
		{ "{\"type\":\"action\",\"action\":{\"action\":\"fly\"}}",
		  "\"ok\":false" },
		{ "{\"type\":\"action\",\"action\":\"run\"}",
		  "`action` must be an object" },
		{ "{\"type\":\"status\",\"id\":1}", "\"state\":\"running\"" },
		{ "{\"type\":\"status\"}", "\"title\":\"a \\\"title\\\"\"" },
		{ "{\"type\":\"subscribe\",\"since\":99}",
		  "no event 99; the log has 1" },
		{ "{\"type\":\"subscribe\",\"since\":-2}", "no event -2" },
		{ "{\"type\":\"subscribe\",\"since\":1.5}",
		  "`since` must be an integer" },
		{ "{\"type\":\"subscribe\",\"live\":1}", "`live` must be true or false" },
		{ "{\"type\":\"message\"}", "message: `text` is missing" },
		{ "{\"type\":\"message\",\"text\":null}", "`text` must be a string" },
		{ "{\"type\":\"message\",\"text\":\" \\n\"}", "the message is empty" },
		{ "{\"type\":\"message\",\"txt\":\"x\"}", "unknown member `txt`" },
		{ "{\"type\":\"mesage\"}", "did you mean `message`?" },
		{ "{\"type\":\"\"}", "unknown command ``" },
		{ "{\"type\":5}", "`type` is not a string" },
		{ "{}", "`type` is missing" },
		{ "[]", "\"ok\":false" },
		{ "null", "\"ok\":false" },
		{ "{\"type\":\"pause\"", "\"ok\":false" },
		{ "\xff\xfe", "\"ok\":false" },
		{ "{\"type\":\"status\",\"id\":{}}", "`id` must be" },
		{ "{\"type\":\"status\",\"id\":1.5}", "`id` must be" },
		{ "{\"type\":\"stop\",\"id\":\"\"}", "\"id\":\"\",\"ok\":true" },
	};
	struct client k = client_new(-1, false);

	take(&k);
	CHECK(strstr(k.got.text, "{\"type\":\"hello\",\"protocol\":1,") == k.got.text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *o = NULL;

		strbuf_reset(&k.got);
		feed(&k, cases[i].line);
		CHECK_MSG(k.got.len == 0, "nothing before the line ends");
		feed(&k, "\r\n");
		o = last(&k);
		CHECK_MSG(o && count_of(&k.got, "\n") == 1 &&
				  strstr(k.got.text, cases[i].want),
			  "%s", cases[i].line);
		if (!strstr(k.got.text, cases[i].want))
			printf("# got: %s", k.got.text);
	}
	strbuf_reset(&k.got);
	feed(&k, "\n  \n\t\r\n");
	CHECK_MSG(k.got.len == 0, "empty lines are nothing");
	client_free(&k);
}

static void test_cut(void)
{
	static const char lines[] = "{\"type\":\"subscribe\",\"since\":-1}\n"
				    "{\"type\":\"message\",\"text\":\"one\"}\nrubbish\n"
				    "{\"type\":\"pause\",\"id\":1}\n";
	bool same = true;

	for (size_t cut = 0; cut <= sizeof lines - 1; cut++) {
		struct client k = client_new(-1, false);

		session_feed(k.s, lines, cut);
		take(&k);
		session_feed(k.s, lines + cut, sizeof lines - 1 - cut);
		take(&k);
		same &= count_of(&k.got, "\"type\":\"result\"") == 4 &&
			count_of(&k.got, "\"ok\":true") == 3 &&
			count_of(&k.got, "\"content\":\"one\"") == 1;
		client_free(&k);
	}
	CHECK_MSG(same, "cut at every byte, the same comes of it");
}

static void test_long_line(void)
{
	struct client k = client_new(-1, false);
	static char piece[1 << 20];
	int status = MT_OK;

	memset(piece, 'x', sizeof piece);
	for (int i = 0; i < 30 && !status; i++)
		status = session_feed(k.s, piece, sizeof piece);
	take(&k);
	CHECK(status == MT_ELIMIT);
	CHECK(strstr(k.got.text, "longer than 24 MiB"));
	feed(&k, "\n{\"type\":\"status\"}\n");
	CHECK_MSG(!strstr(k.got.text, "result"), "nothing more is read");
	fake_say(k.c, "x", 1);
	session_end(k.s, 3);
	take(&k);
	CHECK_MSG(strstr(k.got.text, "\"exit_code\":3"), "but it hears of the end");
	client_free(&k);
}

/* ---- events --------------------------------------------------------------- */

static void test_since(void)
{
	struct client k = client_new(-1, false);

	for (int i = 0; i < 5; i++)
		fake_say(k.c, "old", 3);
	take(&k);
	CHECK_MSG(!strstr(k.got.text, "old"), "no events before it subscribes");
	feed(&k, "{\"type\":\"subscribe\",\"since\":2}\n");
	CHECK(count_of(&k.got, "\"content\":\"old\"") == 2);
	CHECK_MSG(strstr(k.got.text, "{\"id\":3,") && strstr(k.got.text, "{\"id\":4,"),
		  "events after `since`");
	CHECK_MSG(strstr(strstr(k.got.text, "{\"id\":4,"), "\"type\":\"state\""),
		  "a state line ends the past");
	strbuf_reset(&k.got);
	fake_say(k.c, "new", 3);
	take(&k);
	CHECK(count_of(&k.got, "\"content\":\"new\"") == 1);
	feed(&k, "{\"type\":\"subscribe\",\"since\":-1}\n");
	CHECK_MSG(count_of(&k.got, "\"content\":\"old\"") == 5,
		  "once more from the start");
	strbuf_reset(&k.got);
	feed(&k, "{\"type\":\"subscribe\"}\n");
	CHECK_MSG(count_of(&k.got, "\"content\"") == 0, "without since: from now on");
	client_free(&k);
}

static void test_as_in_the_log(void)
{
	struct client k = client_new(0, false);
	AUTO(json)
	json_object *rewind =
		js_parse_object("{\"record\":\"rewind\",\"to\":0}", 26, NULL);
	AUTO(free) char *big = malloc(100000), *log = NULL, *path = NULL;
	const char *first, *sum;
	size_t len;

	memset(big, 'b', 100000);
	fake_say(k.c, "\xc3\xa9 \"quoted\" \x01", 14);
	take(&k);
	path = path_join(k.c->dir, "events.jsonl");
	file_read(path, 1 << 20, &log, &len, NULL);
	first = strchr(k.got.text, '\n') + 1;
	sum = strstr(log, ",\"crc\":");
	CHECK_MSG(sum && strncmp(first, log, (size_t)(sum - log)) == 0 &&
			  strcmp(first + (sum - log), "}\n") == 0,
		  "an event is the line of the log without its checksum");
	fake_say(k.c, big, 100000);
	take(&k);
	CHECK_MSG(k.got.len > 100000 && !strstr(k.got.text, "$blob"),
		  "a long text comes whole");
	evlog_record(k.c->log, rewind, NULL);
	strbuf_reset(&k.got);
	feed(&k, "{\"type\":\"subscribe\",\"since\":-1}\n");
	CHECK_MSG(count_of(&k.got, "{\"id\":") == 1, "what was undone is not sent");
	client_free(&k);
}

static void test_live(void)
{
	static const struct llm_error why = { .kind = 3, .attempts = 2, .text = "busy" };
	struct llm_reply reply = { .response_id = (char *)(uintptr_t) "r1",
				   .model = (char *)(uintptr_t) "m",
				   .usage = { .input = 5,
					      .output = -1,
					      .cache_read = -1,
					      .cache_write = -1,
					      .reasoning = -1,
					      .cost = 0.1 } };
	struct client k = client_new(0, false);

	take(&k);
	strbuf_reset(&k.got);
	FAKE_TELL(k.c, delta, false, "abc", 3);
	FAKE_TELL(k.c, output, 4, "out\xff", 4);
	take(&k);
	CHECK_MSG(k.got.len == 0, "no live lines unless asked for");
	feed(&k, "{\"type\":\"subscribe\",\"live\":true}\n");
	strbuf_reset(&k.got);
	FAKE_TELL(k.c, delta, true, "abc", 3);
	FAKE_TELL(k.c, output, 4, "out\xff", 4);
	FAKE_TELL(k.c, progress, 4, 0.5, 2, "half");
	FAKE_TELL(k.c, retry, &why, 8000);
	FAKE_TELL(k.c, reply, &reply);
	FAKE_TELL(k.c, notice, MT_LOG_WARNING, "careful");
	take(&k);
	CHECK_STR(k.got.text,
		  "{\"type\":\"delta\",\"text\":\"abc\",\"reasoning\":true}\n"
		  "{\"type\":\"output\",\"action\":4,\"text\":\"out\xef\xbf\xbd\"}\n"
		  "{\"type\":\"progress\",\"action\":4,\"done\":0.5,\"total\":2.0,"
		  "\"message\":\"half\"}\n"
		  "{\"type\":\"retry\",\"error\":\"busy\",\"kind\":\"quota\","
		  "\"attempts\":2,"
		  "\"wait_ms\":8000}\n"
		  "{\"type\":\"reply\",\"response_id\":\"r1\",\"model\":\"m\",\"latency_"
		  "ms\":0,"
		  "\"usage\":{\"input\":5,\"cost\":0.1}}\n"
		  "{\"type\":\"notice\",\"level\":\"warning\",\"text\":\"careful\"}\n");
	client_free(&k);
}

/* ---- bursts ------------------------------------------------------------- */

/* The text of all deltas in a text, and of the events of the agent. */
static void join_deltas(char *text, struct strbuf *said, size_t *ret_lines)
{
	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		AUTO(json) json_object *line =
			js_parse_object(text, (size_t)(end - text), NULL);

		if (strcmp(js_str(line, "type", ""), "delta") != 0)
			continue;
		strbuf_add(said, js_str(line, "text", ""));
		++*ret_lines;
	}
}

/* Deltas that come all at once reach a client that reads nothing meanwhile, in
 * order, before the event that ends them. */
static void test_burst(size_t count)
{
	struct client k = client_new(0, true);
	AUTO(strbuf) struct strbuf piece = STRBUF(64 << 20), said = STRBUF(64 << 20),
				   all = STRBUF(64 << 20);
	size_t lines = 0;
	bool early = true;

	for (size_t i = 0; i < count; i++) {
		char text[32];

		snprintf(text, sizeof text, "word %zu. ", i);
		strbuf_add(&all, text);
		FAKE_TELL(k.c, delta, i % 1000 == 0, text, strlen(text));
	}
	fake_say(k.c, all.text, all.len);
	FAKE_TELL(k.c, delta, false, "the next", 8);
	while (session_take(k.s, &piece)) {
		char *event = strstr(piece.text, "{\"id\":");

		join_deltas(piece.text, &said, &lines);
		early = early && (!event || said.len >= all.len);
		CHECK_MSG(!strstr(piece.text, "left out"), "nothing is left out");
	}
	strbuf_add(&all, "the next");
	CHECK_MSG(early && strcmp(all.text, said.text) == 0, "%zu deltas in %zu lines",
		  count, lines);
	client_free(&k);
}

/* ---- a slow client --------------------------------------------------------- */

enum { MANY = 12800, SIZE = 8192 }; /* 100 MB */

static void test_slow(void)
{
	struct client k = client_new(0, true);
	AUTO(strbuf) struct strbuf piece = STRBUF(64 << 20);
	char text[SIZE];
	size_t most = 0, total = 0, events = 0, lost = 0;
	int64_t next = 0;
	bool in_order = true;

	memset(text, 'e', sizeof text);
	for (int i = 0; i < MANY; i++) {
		fake_say(k.c, text, sizeof text);
		FAKE_TELL(k.c, delta, false, text, sizeof text);
		most = session_waiting(k.s) > most ? session_waiting(k.s) : most;
	}
	fake_state(k.c, STATE_PAUSED, "why");
	fake_state(k.c, STATE_FINISHED, "");
	session_end(k.s, 0);
	CHECK_MSG(most < SESSION_QUEUE + 2 * SIZE + 4096, "at most %zu bytes wait", most);
	while (session_take(k.s, &piece)) {
		total += piece.len;
		for (char *at = piece.text, *end; (end = strchr(at, '\n'));
		     at = end + 1) {
			if (strncmp(at, "{\"id\":", 6) == 0)
				in_order &= strtoll(at + 6, NULL, 10) == next++, events++;
			lost += strstr(at, "were dropped") != NULL &&
				strstr(at, "were dropped") < end;
		}
		strbuf_reset(&k.got);
		strbuf_addn(&k.got, piece.text, piece.len);
	}
	CHECK_MSG(events == MANY && in_order && total > 100000000,
		  "every event, in order");
	CHECK_MSG(lost >= 1, "dropped live lines are reported");
	CHECK_MSG(strstr(k.got.text,
			 "{\"type\":\"end\",\"state\":\"finished\",\"reason\":\"\","
			 "\"exit_code\":0,\"models\":[]}\n"),
		  "the end is the last");
	client_free(&k);
}

/* ---- no memory -------------------------------------------------------------- */

static bool whole_lines(const struct strbuf *b)
{
	bool good = b->len == 0 || b->text[b->len - 1] == '\n';

	for (const char *at = b->text, *end; good && (end = strchr(at, '\n'));
	     at = end + 1) {
		AUTO(json) json_object *o = js_parse_object(at, (size_t)(end - at), NULL);

		good = o != NULL;
	}
	return good;
}

static void test_memory(void)
{
	static const char lines[] =
		"{\"type\":\"subscribe\",\"since\":-1,\"live\":true}\n"
		"{\"type\":\"status\",\"id\":\"x\"}\nrubbish\n"
		"{\"type\":\"reject\",\"reason\":\"no\"}\n";
	struct conversation *c = fake_new(directory);
	bool good = true;

	fake_say(c, "before", 6);
	OOM_EACH({
		struct session_options o = { .from = -1 };
		struct session *s = session_new(c, &o);
		struct strbuf got = STRBUF(1 << 20);

		if (s) {
			session_feed(s, lines, sizeof lines - 1);
			FAKE_TELL(c, delta, false, "x", 1);
			session_end(s, 0);
			oom_left = -1;
			session_take(s, &got);
			good &= whole_lines(&got);
		}
		oom_left = -1;
		strbuf_clear(&got);
		session_free(s);
	});
	CHECK_MSG(good, "without memory a line is left out whole");
	fake_free(c);
}

/* ---- questions of tools -------------------------------------------------- */

static void test_questions(void)
{
	char text[] = "Which?\n\"a\"";
	struct question second = { .id = 8, .action = 3, .text = text };
	struct question first = { .next = &second, .id = 7, .action = 3, .text = text,
				  .choices = js_parse("[\"a\",\"b\"]", 9, NULL) };
	struct client k = client_new(-1, false);

	k.c->questions = &first;
	feed(&k, "{\"type\":\"subscribe\"}\n");
	CHECK(strstr(k.got.text,
		     "{\"type\":\"questions\",\"open\":[{\"question\":7,\"action\":3,"
		     "\"text\":\"Which?\\n\\\"a\\\"\",\"choices\":[\"a\",\"b\"]},"
		     "{\"question\":8,\"action\":3,\"text\":"));
	strbuf_reset(&k.got);
	feed(&k, "{\"type\":\"answer\",\"question\":7,\"text\":\"a\"}\n");
	CHECK(strstr(k.got.text, "{\"type\":\"questions\",\"open\":[]}\n"));
	CHECK(strstr(k.got.text, "{\"type\":\"result\",\"ok\":true}\n"));
	client_free(&k);
	json_object_put(first.choices);
}

int main(void)
{
	directory = getenv("HOME") ? getenv("HOME") : ".";
	test_commands();
	test_cut();
	test_long_line();
	test_since();
	test_as_in_the_log();
	test_live();
	test_burst(1000);
	test_burst(3000);
	test_burst(100000);
	test_slow();
	test_questions();
	test_memory();
	return tap_done();
}
