/* SPDX-License-Identifier: MIT
 *
 * test-loops.c - loops of agents, and work that only looks like a loop,
 * under the default options; which of the loops the exact comparisons miss. */
#include "../events/logs.h"
#include "features/loop-detector.h"

/* A step: the logged action and its result. In `result`, %d is the number of
 * the step and {a|b|c} the n-th of the choices. */
struct sequence {
	const char *name;
	const char *actions[3]; /* used alternately; NULL: no more */
	const char *results[3]; /* NULL: the action is a message */
	unsigned steps;
	enum stuck_kind kind; /* STUCK_NONE: not a loop */
	bool exact;           /* the exact comparison of outputs finds a loop */
};

#define RUN(command) "\"action\":\"run\",\"args\":{\"command\":\"" command "\"}"
#define CALL(name, args)                                                                 \
	"\"action\":\"call_tool\",\"args\":{\"name\":\"" name "\",\"arguments\":" args "}"
#define SAY(text) "\"action\":\"message\",\"args\":{\"content\":\"" text "\"}"
#define EDIT(old, new_)                                                                  \
	"\"action\":\"edit\",\"args\":{\"path\":\"/w/"                                   \
	"a.py\",\"command\":\"str_replace\","                                            \
	"\"old_str\":\"" old "\",\"new_str\":\"" new_ "\"}"
#define READ(from)                                                                       \
	"\"action\":\"read\",\"args\":{\"path\":\"/w/a.py\",\"view_range\":[" from       \
	",9999]}"
#define OUTPUT(text, code)                                                               \
	"\"observation\":\"run\",\"content\":\"" text "\",\"extras\":{\"command\":\"\"," \
	"\"metadata\":{\"exit_code\":" code "}}"
#define ERROR_(text) "\"observation\":\"error\",\"content\":\"" text "\",\"extras\":{}"
#define EDITED(text)                                                                     \
	"\"observation\":\"edit\",\"content\":\"" text                                   \
	"\",\"extras\":{\"path\":\"/w/a.py\"}"
#define LINES(text)                                                                      \
	"\"observation\":\"read\",\"content\":\"" text                                   \
	"\",\"extras\":{\"path\":\"/w/a.py\"}"
#define THINK(text) "\"action\":\"think\",\"args\":{\"thought\":\"" text "\"}"
#define THOUGHT                                                                          \
	"\"observation\":\"think\",\"content\":\"Your thought has been logged.\"," \
	"\"extras\":{}"
#define TOOL(text, more)                                                                 \
	"\"observation\":\"tool\",\"content\":\"" text "\",\"extras\":{" more "}"
#define MCP(text)                                                                        \
	"\"observation\":\"mcp\",\"content\":\"" text "\",\"extras\":{\"is_error\":"     \
						      "true}"

static const struct sequence sequences[] = {
	{ "a test suite, three times",
	  { RUN("python -m pytest -q") },
	  { OUTPUT("tmp_path = PosixPath('/tmp/pytest-of-root/pytest-%d')\\n"
		   "E  assert <app.Cart object at {0x7f1c2a|0x7fe01b|0x7f99d0|0x7f000e}> "
		   "is None\\n"
		   "1 failed, 3 passed in {0.12|1.40|0.09|61.2}s",
		   "1") },
	  3,
	  STUCK_NONE,
	  false },
	{ "a test suite that takes another time",
	  { RUN("python -m pytest -q") },
	  { OUTPUT("tmp_path = PosixPath('/tmp/pytest-of-root/pytest-%d')\\n"
		   "E  assert <app.Cart object at {0x7f1c2a|0x7fe01b|0x7f99d0|0x7f000e}> "
		   "is None\\n"
		   "1 failed, 3 passed in {0.12|1.40|0.09|12.2}s",
		   "1") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "processes with other numbers",
	  { RUN("ps aux | grep server") },
	  { OUTPUT("root  {911|10422|77|3051}  0.{0|7|3|1}  0.1  {5528|18932|4040|99}  "
		   "{912|3380|10|1} ?  S  16:{01|14|59|00}  0:0%d grep server",
		   "0") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "a directory that grows",
	  { RUN("ls -la build") },
	  { OUTPUT("total {8|1204|96|12}\\ndrwxr-xr-x 2 root root 4096 Nov {2|22|22|3} "
		   "16:1%d .\\n"
		   "-rw-r--r-- 1 root root {9|148220|77140|8} Dec {1|12|3|9} 0%d:14 "
		   "out.log",
		   "0") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "a server that does not answer",
	  { RUN("curl -sS localhost:8080/health") },
	  { OUTPUT("curl: (7) Failed to connect to localhost port 8080 after {0|3|12|1} "
		   "ms: "
		   "Couldn't connect to server",
		   "7") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "an installation with a log of its own",
	  { RUN("npm install") },
	  { OUTPUT("npm error code ERESOLVE\\nnpm error A complete log of this run can "
		   "be found "
		   "in: "
		   "/root/.npm/_logs/"
		   "2026-11-{22T16_14_34_123|22T16_15_02_9|23T01_00_00_777|"
		   "22T23_59_59_001}Z-debug-0.log",
		   "1") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "a container that is started again",
	  { RUN("docker run -d app") },
	  { OUTPUT("{4f0c9a1be72d|c01dbeef0042|9d8e7f6a5b4c|00112233aabb}\\n"
		   "docker: port is allocated (pid {12|40311|977|5}, {12.3MB|1.1GiB|900 "
		   "kB|3 MB})",
		   "125") },
	  4,
	  STUCK_REPEAT,
	  false },
	{ "an edit that does not fit and a test take turns",
	  { EDIT("retrun x", "return x"), RUN("make test") },
	  { EDITED("No replacement was performed, old_str `retrun x` did not appear "
		   "verbatim in "
		   "/w/a.py."),
	    OUTPUT("test_a ... FAIL\\nRan 12 tests in 0.0%ds", "2") },
	  6,
	  STUCK_ALTERNATE,
	  false },
	{ "two commands take turns",
	  { RUN("git status"), RUN("git log -1") },
	  { OUTPUT("On branch main\\nnothing to commit", "0"),
	    OUTPUT("commit {8460ff3|c2fdc96|8460ff3|c2fdc96|8460ff3|c2fdc96}\\n"
		   "Date: {Sat|Sun|Mon|Sat|Sun|Mon} Nov 2%d",
		   "0") },
	  6,
	  STUCK_ALTERNATE,
	  false },
	{ "the agent says the same",
	  { SAY("I will look at the file next.") },
	  { NULL },
	  3,
	  STUCK_MONOLOGUE,
	  true },
	{ "an edit that fails with another text",
	  { EDIT("x = 1", "x = 2") },
	  { ERROR_("No replacement was performed. Multiple occurrences of old_str in "
		   "lines "
		   "[{1, 4|2, 4|1, 9}]; {see above|try a longer text|make it unique}.") },
	  3,
	  STUCK_ERRORS,
	  true },
	{ "a tool of a third party that fails",
	  { CALL("weather", "{\"city\":\"Bern\"}") },
	  { TOOL("quota of {this hour|today|the key} is used up", "\"is_error\":true") },
	  3,
	  STUCK_ERRORS,
	  true },
	{ "a tool of a server that fails",
	  { "\"action\":\"call_tool_mcp\",\"args\":{\"name\":\"search\",\"arguments\":{}"
	    "}" },
	  { MCP("{refused|not now|broken}") },
	  3,
	  STUCK_ERRORS,
	  true },
	{ "the same command with other words each time",
	  { RUN("fortune") },
	  { OUTPUT("{You will travel|A friend calls|Rain|Be patient|Luck|Look up|Wait|Go "
		   "on}",
		   "0") },
	  8,
	  STUCK_IDENTICAL,
	  false },

	{ "waiting for a command that runs",
	  { RUN("") },
	  { OUTPUT("", "-1") },
	  20,
	  STUCK_NONE,
	  true },
	{ "reading what a build prints",
	  { RUN("") },
	  { OUTPUT("[ %d%%] Building C object a.o", "-1") },
	  20,
	  STUCK_NONE,
	  false },
	{ "waiting for a job",
	  { CALL("background_job", "{\"do\":\"wait\",\"id\":1}") },
	  { TOOL("nothing yet", "\"running\":true") },
	  20,
	  STUCK_NONE,
	  true },
	{ "a test after another edit each time",
	  { EDIT("limit = {1|2|3|4|5|6|7|8|9}", "limit = {2|3|4|5|6|7|8|9|10}"),
	    RUN("make test") },
	  { EDITED("The file /w/a.py has been edited."),
	    OUTPUT("test_a ... FAIL\\nRan 12 tests in 0.0%ds", "2") },
	  18,
	  STUCK_NONE,
	  false },
	{ "another thought each time",
	  { THINK("{the parser|the lexer|the tests|the build|the style}") },
	  { THOUGHT },
	  5,
	  STUCK_NONE,
	  false },
	{ "the same thought",
	  { THINK("the parser") },
	  { THOUGHT },
	  4,
	  STUCK_REPEAT,
	  true },
	{ "a file in parts",
	  { READ("{1|100|200|300|400|500|600|700|800|900}") },
	  { LINES("     1\\tpass") },
	  10,
	  STUCK_NONE,
	  false },
	{ "one command, and its output tells of progress",
	  { RUN("tail -n 1 build.log") },
	  { OUTPUT("[{10|20|30|40|50|60}%%] Building {cart|order|user|item|price|main}.o",
		   "0") },
	  6,
	  STUCK_NONE,
	  false },
	{ "another file each time",
	  { RUN("cat {a|b|c|d|e|f|g|h|i|j}.txt") },
	  { OUTPUT("", "0") },
	  10,
	  STUCK_NONE,
	  false },
};

/* ---- writing a log ------------------------------------------------------ */

static const char *end_of_choices(const char *p)
{
	return strchr(p, '}');
}

/* "{" begins choices only if a "|" comes before its end and no quote does. */
static bool is_choice(const char *p)
{
	const char *end = end_of_choices(p), *bar = strchr(p, '|');
	const char *quote = strchr(p, '"');

	return *p == '{' && end && bar && bar < end && (!quote || quote > end);
}

static const char *add_choice(struct strbuf *out, const char *p, unsigned n)
{
	const char *end = end_of_choices(p), *from = p + 1;
	unsigned count = 1;

	for (const char *q = from; q < end; q++)
		count += *q == '|';
	for (n %= count; n > 0; n--)
		from = strchr(from, '|') + 1;
	strbuf_addn(out, from, strcspn(from, "|}"));
	return end + 1;
}

static void expand(struct strbuf *out, const char *p, unsigned n)
{
	while (*p) {
		if (is_choice(p)) {
			p = add_choice(out, p, n);
		} else if (p[0] == '%' && p[1] == 'd') {
			strbuf_addf(out, "%u", n);
			p += 2;
		} else if (p[0] == '%' && p[1] == '%') {
			strbuf_addc(out, '%');
			p += 2;
		} else {
			strbuf_addc(out, *p++);
		}
	}
}

static void add(struct evlog *log, const char *body, unsigned n, int64_t cause)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = NULL;
	AUTO(json) json_object *o = NULL;

	strbuf_add(&text, "{\"source\":\"agent\",");
	if (cause >= 0)
		strbuf_addf(&text, "\"cause\":%d,", (int)cause);
	expand(&text, body, n);
	strbuf_add(&text, "}");
	o = js_parse_object(text.text, text.len, &err);
	e = o ? event_from_json(o, &err) : NULL;
	if (!e || evlog_append(log, e, &err))
		printf("# %s: %s\n", text.text, err.text);
}

static struct evlog *log_of(const struct sequence *s, unsigned number)
{
	char name[32];
	unsigned turns = 0;
	struct evlog *log;

	snprintf(name, sizeof name, "l%u", number);
	log = open_log(test_path(name), EVLOG_CREATE, NULL);
	say(log, SOURCE_USER, "make the tests pass");
	while (turns < ARRAY_LEN(s->actions) && s->actions[turns])
		turns++;
	for (unsigned i = 0; i < s->steps; i++) {
		int64_t cause = evlog_count(log);

		add(log, s->actions[i % turns], i / turns, -1);
		if (s->results[i % turns])
			add(log, s->results[i % turns], i / turns, cause);
	}
	return log;
}

int main(void)
{
	static const struct stuck_options usual = { .same = 4,
						    .errors = 3,
						    .monologue = 3,
						    .pattern = 6,
						    .identical = 8,
						    .blank = true };

	static const struct stuck_options exact = {
		.same = 4, .errors = 3, .monologue = 3, .pattern = 6
	};

	if (!mkdtemp(top))
		return 1;
	for (unsigned i = 0; i < ARRAY_LEN(sequences); i++) {
		const struct sequence *s = &sequences[i];
		AUTO(evlog) struct evlog *log = log_of(s, i);
		struct stuck got = loop_detect_stuck(log, &usual);

		CHECK_MSG(got.kind == s->kind, "%s: %s", s->name,
			  loop_stuck_name(got.kind));
		got = loop_detect_stuck(log, &exact);
		CHECK_MSG((got.kind != STUCK_NONE) == s->exact,
			  "exactly compared: %s: %s", s->name, loop_stuck_name(got.kind));
	}
	dir_remove(top, NULL);
	return tap_done();
}
