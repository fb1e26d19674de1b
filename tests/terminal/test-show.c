/* SPDX-License-Identifier: MIT
 *
 * test-show.c - events, Markdown, diffs and questions as lines of text. */
#include "chat.h"
#include "tap.h"
#include "text.h"

#include <locale.h>

static const struct style none = { .columns = 80 };
static const struct style colors = { .attributes = true, .color = true, .columns = 80 };

static void event(struct event_view *s, const char *text)
{
	AUTO(json) json_object *o = js_parse_object(text, strlen(text), NULL);

	event_view_event(s, o);
}

static void live(struct event_view *s, const char *text)
{
	AUTO(json) json_object *o = js_parse_object(text, strlen(text), NULL);

	event_view_live(s, o);
}

static void test_events(void)
{
	static const struct {
		const char *name, *event, *want;
	} cases[] = {
		{ "user message",
		  "{\"source\":\"user\",\"action\":\"message\",\"args\":{\"content\":\"do\\nit\"}}",
		  "\nYou: do\nYou: it\n" },
		{ "message of the agent",
		  "{\"source\":\"agent\",\"action\":\"message\",\"args\":{\"content\":\"**a**\"}}",
		  "\n**a**\n" },
		{ "command",
		  "{\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"ls\\u001b[2J\"}}",
		  "\n$ ls‹\\e›[2J\n" },
		{ "result",
		  "{\"observation\":\"run\",\"content\":\"a\\n\\u001b[31mb\",\"extras\":{"
		  "\"metadata\":{\"exit_code\":2}}}",
		  "  a\n  b\n  exit code 2\n" },
		{ "edit",
		  "{\"observation\":\"edit\",\"content\":\"x\",\"extras\":{\"diff\":\"--- a\\n"
		  "+++ b\\n@@ -1 +1 @@\\n-old\\n+new\\n\"}}",
		  "  @@ -1 +1 @@\n  -old\n  +new\n" },
		{ "read", "{\"observation\":\"read\",\"content\":\"a\\nb\"}", "  3 bytes\n" },
		{ "a read that failed",
		  "{\"observation\":\"read\",\"content\":\"ERROR:\\nInvalid path\"}",
		  "  Invalid path\n" },
		{ "hidden",
		  "{\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"x\","
		  "\"hidden\":true}}",
		  "" },
		{ "system", "{\"action\":\"system\",\"args\":{\"content\":\"x\"}}", "" },
		{ "unknown action",
		  "{\"source\":\"agent\",\"action\":\"levitate\",\"args\":{}}",
		  "\nlevitate\n" },
		{ "no event at all", "{}", "" },
		{ "members of other types",
		  "{\"source\":3,\"action\":\"run\",\"args\":[1]}", "\n$ \n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct event_view s;

		event_view_init(&s, &none);
		event(&s, cases[i].event);
		event_view_rest(&s);
		CHECK_MSG(strcmp(s.out.text, cases[i].want) == 0, "event: %s",
			  cases[i].name);
		if (strcmp(s.out.text, cases[i].want) != 0)
			printf("# got: [%s]\n", s.out.text);
		event_view_done(&s);
	}
}

/* The connection is lost in the middle of code, and its rest comes as an event. */
static void test_cut_code(void)
{
	struct event_view s;

	event_view_init(&s, &colors);
	live(&s, "{\"type\":\"delta\",\"text\":\"So:\\n```\\none\\ntw\"}");
	event_view_disconnect(&s);
	event_view_reconnect(&s, true);
	strbuf_reset(&s.out);
	event(&s, "{\"source\":\"agent\",\"action\":\"message\",\"args\":{\"content\":"
		  "\"So:\\n```\\none\\ntwo\\n```\\nThe **end**.\"}}");
	event_view_rest(&s);
	CHECK_MSG(strstr(s.out.text, "    two") && strstr(s.out.text, "end") &&
			  !strstr(s.out.text, "**") && !strstr(s.out.text, "```"),
		  "the rest of cut code: [%s]", s.out.text);
	/* another text does not begin in the code */
	live(&s, "{\"type\":\"delta\",\"text\":\"```\\none\\n\"}");
	event_view_disconnect(&s);
	event_view_reconnect(&s, true);
	strbuf_reset(&s.out);
	event(&s, "{\"source\":\"agent\",\"action\":\"message\",\"args\":{\"content\":"
		  "\"The **end**.\"}}");
	CHECK_MSG(!strstr(s.out.text, "**"), "another text: [%s]", s.out.text);
	event_view_done(&s);
}

#define QUESTION                                                                  \
	"{\"id\":4,\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"rm x\"," \
	"\"confirmation_state\":\"awaiting_confirmation\",\"security_risk\":1}}"

static long ask(struct event_view *s, const char *risk, const char *reason, size_t most)
{
	size_t rows;
	struct question_text q = { .event = s->call, .asker = "", .risk = risk,
				   .reason = reason, .most = most };

	return event_view_question(s, &q, &rows);
}

static long preview(struct event_view *s, const char *text, size_t most)
{
	AUTO(json) json_object *said = json_object_new_string(text);
	struct question_text q = { .event = s->call, .asker = "", .risk = "LOW",
				   .reason = "", .preview = said, .most = most };
	size_t rows;

	return event_view_question(s, &q, &rows);
}

static void test_question(void)
{
	struct event_view s;

	event_view_init(&s, &none);
	event(&s, QUESTION);
	CHECK_MSG(s.out.len == 0, "what waits is shown by its question");
	ask(&s, "MEDIUM", "it \033removes\nfiles", 200);
	CHECK_STR(s.out.text, "\n| $ rm x\nAllow this action? Risk: MEDIUM: it "
			      "‹\\e›removes‹\\n›files\n");
	strbuf_reset(&s.out);
	preview(&s, "a\n\033b", 200);
	CHECK_STR(s.out.text, "\n| $ rm x\n| Preview by the tool:\n|   a\n|   ‹\\e›b\n"
			      "Allow this action? Risk: LOW\n");
	strbuf_reset(&s.out);
	CHECK_MSG(preview(&s, "1\n2\n3\n4\n5\n6", 4) > 0, "a part of it is hidden");
	strbuf_reset(&s.out);
	event(&s,
	      "{\"id\":6,\"source\":\"agent\",\"confirms\":4,\"action\":\"run\",\"args\":{"
	      "\"command\":\"rm x\",\"confirmation_state\":\"confirmed\"}}");
	CHECK_MSG(s.out.len == 0 && s.action == 6, "what was asked is not shown again");
	event(&s,
	      "{\"id\":7,\"source\":\"agent\",\"confirms\":4,\"action\":\"run\",\"args\":{"
	      "\"command\":\"ls\",\"confirmation_state\":\"confirmed\"}}");
	CHECK_STR(s.out.text, "\n$ ls\n");
	strbuf_reset(&s.out);
	event(&s,
	      "{\"id\":8,\"source\":\"agent\",\"action\":\"edit\",\"args\":{\"path\":"
	      "\"/x\",\"command\":\"str_replace\",\"old_str\":\"a\",\"new_str\":\"b\\nc\"}}");
	ask(&s, "UNKNOWN", "", 200);
	CHECK_STR(s.out.text, "\n| str_replace /x\n| -a\n| +b\n| +c\n"
			      "Allow this action? Risk: UNKNOWN\n");
	event_view_done(&s);
}

#define CALL(args) "{\"id\":1,\"source\":\"agent\",\"action\":" args "}"

/* The rows of a question show all hidden characters of the action. */
static void test_whole(void)
{
	static const struct {
		const char *name, *event, *want;
	} cases[] = {
		{ "carriage return",
		  CALL("\"run\",\"args\":{\"command\":\"rm -rf victim #\\rls -la\"}"),
		  "| $ rm -rf victim #‹\\r›ls -la\n" },
		{ "backspace, escape, NUL",
		  CALL("\"run\",\"args\":{\"command\":\"a\\b\\u001b[2K\\u0000b\"}"),
		  "| $ a‹\\b\\e›[2K‹\\x00›b\n" },
		{ "rows, and input",
		  CALL("\"run\",\"args\":{\"command\":\"a\\n\\tb\\n\",\"is_input\":true}"),
		  "| > a\n|           b\n" },
		{ "other arguments",
		  CALL("\"run\",\"args\":{\"command\":\"a\",\"cwd\":\"/\\r\",\"hidden\":true}"),
		  "| $ a\n| cwd: /‹\\r›\n| hidden: true\n" },
		{ "a cell",
		  CALL("\"run_ipython\",\"args\":{\"code\":\"a\\r\\nb\",\"include_extra\":true}"),
		  "| >>> a‹\\r›\n|     b\n" },
		{ "a path and a diff",
		  CALL("\"edit\",\"args\":{\"command\":\"create\",\"path\":\"/a\\u202e\",\"file_text\""
		       ":\"x\\r+y\\n z \\n\"}"),
		  "| create /a‹\\u{202e}›\n| +x‹\\r›+y\n| + z‹1 blank›\n" },
		{ "a read", CALL("\"read\",\"args\":{\"path\":\"/a\",\"start\":0,\"end\":-1}"),
		  "| read /a\n" },
		{ "a tool of a server",
		  CALL("\"call_tool_mcp\",\"args\":{\"name\":\"t\\u200b\",\"arguments\":{\"a\\r\":"
		       "\"b\\u202e\",\"c\":[\"\\r\\u200b\"],\"dry_run\":false,\"n\":\"\"}}"),
		  "| t‹\\u{200b}›\n| a‹\\r›: b‹\\u{202e}›\n| c: [\"\\r‹\\u{200b}›\"]\n| dry_run: "
		  "false\n| n: \n" },
		{ "browser",
		  CALL("\"browse_interactive\",\"args\":{\"browser_actions\":\"goto(1)\\rx\"}"),
		  "| browse_interactive\n| browser_actions: goto(1)‹\\r›x\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
		AUTO(json) json_object *o =
			js_parse_object(cases[i].event, strlen(cases[i].event), NULL);

		action_show(&out, &none, o);
		CHECK_MSG(strcmp(out.text, cases[i].want) == 0, "whole: %s",
			  cases[i].name);
		if (strcmp(out.text, cases[i].want) != 0)
			printf("# got: [%s]\n", out.text);
	}
}

/* However narrow the screen is, the rows hold all of the text. */
static void test_wrapped(void)
{
	AUTO(strbuf) struct strbuf command = STRBUF(1 << 16), text = STRBUF(1 << 16);
	AUTO(json) json_object *o = NULL;
	bool good = true;

	strbuf_add(&text, "{\"id\":1,\"action\":\"run\",\"args\":{\"command\":\"");
	for (int i = 0; i < 300; i++)
		strbuf_addf(&command, "%d\\u202e-", i);
	strbuf_addf(&text, "%s\"}}", command.text);
	o = js_parse_object(text.text, text.len, NULL);
	for (size_t columns = 8; columns < 100; columns++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20), flat = STRBUF(1 << 20);
		struct style style = { .attributes = true, .columns = columns };
		AUTO(strbuf) struct strbuf all = STRBUF(1 << 20);

		action_show(&out, &style, o);
		for (char *row = out.text, *end; *row; row = end + 1) {
			end = row + strcspn(row, "\n");
			good &= columns < 16 ||
				text_width(row, (size_t)(end - row)) < columns;
			good &= strncmp(row, "│ ", 4) == 0 || strncmp(row, "┆ ", 4) == 0;
			text_clean(&flat, row + 4 + (row[4] == '\033' ? 4 : 0) + 2,
				   (size_t)(end - row) - 6 - (row[4] == '\033' ? 4 : 0));
		}
		for (int i = 0; i < 300; i++)
			strbuf_addf(&all, "%d‹\\u{202e}›-", i);
		good &= strcmp(flat.text, all.text) == 0;
		if (strcmp(flat.text, all.text) != 0)
			printf("# %zu columns: %s\n", columns, flat.text);
	}
	CHECK_MSG(good, "wrapped at every width");
}

/* Does each row end where a word of `text` does? `lead` begins the rows after the first. */
static bool ends_between_words(const char *rows, const char *text, const char *lead,
			       size_t columns)
{
	const char *at = text;

	for (const char *row = rows, *end; *row; row = end + 1) {
		AUTO(strbuf) struct strbuf clean = STRBUF(1 << 16);
		const char *words;

		end = row + strcspn(row, "\n");
		text_clean(&clean, row, (size_t)(end - row));
		words = clean.text;
		if (at > text && strncmp(words, lead, strlen(lead)) == 0)
			words += strlen(lead);
		if (text_width(clean.text, clean.len) >= columns ||
		    strncmp(at, words, strlen(words)) != 0)
			return false;
		at += strlen(words);
		if (*at && *at++ != ' ')
			return false;
	}
	return !*at;
}

static void test_prose(void)
{
	static const char
		why[] = "it deletes files that are outside of the workspace",
		reads[] = "read some file of many words in its very long name",
		asks[] = "Which of the many colors do you prefer for the border?";

	for (size_t columns = 20; columns < 70; columns++) {
		const struct style style = { .attributes = true, .columns = columns };
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 10);
		struct event_view s;

		event_view_init(&s, &style);
		event(&s, "{\"source\":\"user\",\"action\":\"condensation_request\","
			  "\"args\":{}}");
		CHECK_MSG(
			ends_between_words(
				s.out.text + strspn(s.out.text, "\n"),
				"The history will be condensed before the next request.",
				"", columns),
			"a notice in %zu columns", columns);
		strbuf_reset(&s.out);
		strbuf_addf(&text,
			    "{\"source\":\"agent\",\"action\":\"read\",\"args\":{"
			    "\"path\":\"%s\"}}",
			    reads + 5);
		event(&s, text.text);
		event_view_rest(&s);
		CHECK_MSG(ends_between_words(s.out.text + strspn(s.out.text, "\n"), reads,
					     "", columns),
			  "an action in %zu columns", columns);
		strbuf_reset(&s.out);
		event_view_ask(&s, asks, strlen(asks), NULL);
		strbuf_cut(&s.out, (size_t)(strstr(s.out.text, "Escape") - s.out.text) -
					   strlen("\033[2m"));
		for (char *bar; (bar = strstr(s.out.text, "│ ")) ||
				(bar = strstr(s.out.text, "┆ "));)
			memmove(bar, bar + 4, strlen(bar + 4) + 1);
		CHECK_MSG(ends_between_words(s.out.text + strspn(s.out.text, "\n"), asks,
					     "", columns - 2),
			  "a question in %zu columns", columns);
		strbuf_reset(&s.out);
		event_view_done(&s);
		event_view_init(&s, &style);
		event(&s, "{\"id\":1,\"source\":\"agent\",\"action\":\"run\",\"args\":{"
			  "\"command\":\"ls\",\"confirmation_state\":"
			  "\"awaiting_confirmation\"}}");
		ask(&s, "HIGH", why, SIZE_MAX);
		strbuf_reset(&text);
		strbuf_addf(&text, "Allow this action? Risk: HIGH: %s", why);
		CHECK_MSG(ends_between_words(strstr(s.out.text, "Allow"), text.text, "  ",
					     columns),
			  "a risk in %zu columns", columns);
		event_view_done(&s);
	}
}

static void test_long(void)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	struct event_view s;

	event_view_init(&s, &none);
	strbuf_add(&text, "{\"id\":1,\"action\":\"run\",\"args\":{\"command\":\"");
	for (int i = 1; i <= 400; i++)
		strbuf_addf(&text, "%d\\n", i);
	strbuf_add(&text, "\",\"confirmation_state\":\"awaiting_confirmation\"}}");
	event(&s, text.text);
	CHECK(ask(&s, "LOW", "", 200) == 201);
	CHECK(strstr(s.out.text,
		     "|   100\n201 of 400 lines are hidden; press v to view all.\n"
		     "|   302\n"));
	strbuf_reset(&s.out);
	CHECK(ask(&s, "LOW", "", SIZE_MAX) == 0 && strstr(s.out.text, "|   201\n"));
	event_view_done(&s);
	event_view_init(&s, &none);
	CHECK_MSG(ask(&s, "LOW", "", 200) == CANNOT_SHOW, "an action that is not known");
	event_view_done(&s);
}

static void test_output(void)
{
	struct event_view s;

	event_view_init(&s, &none);
	event(&s,
	      "{\"id\":7,\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":"
	      "\"make\"}}");
	CHECK_STR(s.doing.text, "$ make");
	for (int i = 0; i < 5000; i++)
		live(&s, "{\"type\":\"output\",\"action\":7,\"text\":\"a line\\r\\n\"}");
	CHECK_MSG(s.tail.len > 100 && s.tail.len <= TAIL_BYTES * 2,
		  "of the output only the end is kept");
	live(&s, "{\"type\":\"output\",\"action\":3,\"text\":\"of another\"}");
	CHECK(!strstr(s.tail.text, "another"));
	event(&s, "{\"cause\":7,\"observation\":\"run\",\"content\":\"\",\"extras\":{}}");
	CHECK(s.tail.len == 0 && s.doing.len == 0);
	event_view_done(&s);
}

static const char page[] = "# Title\n\nText with `code` and\nanother line.\n\n- one\n\n- "
			   "two\n  more\n\n```c\nint *x;\n```\nlast\n";

/* However the text is cut, the same comes out. */
static void test_markdown(void)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 16);
	struct markdown m;
	bool good = true;

	markdown_init(&m, &colors);
	markdown_feed(&m, &whole, page, strlen(page));
	markdown_end(&m, &whole);
	for (size_t cut = 0; cut <= strlen(page); cut++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

		markdown_feed(&m, &out, page, cut);
		markdown_feed(&m, &out, page + cut, strlen(page) - cut);
		markdown_end(&m, &out);
		good = good && strcmp(out.text, whole.text) == 0;
	}
	CHECK_MSG(good, "Markdown cut at every byte");
	CHECK_MSG(strstr(whole.text, "int *x;") && !strstr(whole.text, "```"),
		  "code is code");
	markdown_done(&m);

	strbuf_reset(&whole);
	markdown_init(&m, &none);
	markdown_feed(&m, &whole, page, strlen(page));
	markdown_end(&m, &whole);
	CHECK_MSG(!strchr(whole.text, '\033') && strstr(whole.text, "```c\nint *x;\n```"),
		  "without attributes it stays as it was written");
	markdown_done(&m);
}

/* Lists, with the nesting of the model, and no blank lines that it did not write. */
static void test_lists(void)
{
	static const struct {
		const char *name, *text, *lines;
	} cases[] = {
		{ "after a line of text", "Changed:\n- a\n- b\n  - nested\n",
		  "Changed:\n  · a\n  · b\n      · nested\n" },
		{ "numbers after a line of text", "Steps:\n1. a\n2. b\n\nText\n",
		  "Steps:\n 1. a\n 2. b\n\nText\n" },
		{ "after a list, more text", "a\n- b\n\nc\n* d\n", "a\n  · b\n\nc\n  · d\n" },
		{ "three levels, two blanks each",
		  "- a\n  - b\n    - c\n      - d\n    - e\n  - f\n- g\n",
		  "  · a\n      · b\n          · c\n              · d\n          · e\n"
		  "      · f\n  · g\n" },
		{ "levels below a number", "1. a\n   - b\n     - c\n2. d\n",
		  " 1. a\n      · b\n          · c\n 2. d\n" },
		{ "a paragraph of a nested item", "- a\n  - b\n\n    text\n",
		  "  · a\n\n      · b\n\n        text\n" },
		{ "a nested item after a line of text", "- a\ntext\n  - b\n",
		  "  · a\n    text\n      · b\n" },
		{ "a number within a sentence", "It was in\n1986. And so\n-on.\n",
		  "It was in\n1986. And so\n-on.\n" },
	};
	struct style style = { .attributes = true, .columns = 60 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
		struct cleaner cleaner = { 0 };
		struct markdown m;

		markdown_init(&m, &style);
		markdown_feed(&m, &out, cases[i].text, strlen(cases[i].text));
		markdown_end(&m, &out);
		markdown_done(&m);
		text_clean_feed(&cleaner, &text, out.text, out.len);
		CHECK_MSG(strcmp(text.text, cases[i].lines) == 0, "list: %s",
			  cases[i].name);
		if (strcmp(text.text, cases[i].lines) != 0)
			printf("# got: [%s]\n", text.text);
	}
}

/* A row that continues another does not begin with the blanks between the words. */
static void test_rows(void)
{
	struct style style = { .attributes = true, .columns = 16 };
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

	style_line(&out, &style, PLAIN, "%s", "  one/   two/   three/   four ");
	CHECK_STR(out.text, "  one/   two/\nthree/   four\n");
}

static void test_streaming(void)
{
	struct event_view s;

	event_view_init(&s, &none);
	live(&s, "{\"type\":\"delta\",\"text\":\"Hel\"}");
	live(&s, "{\"type\":\"delta\",\"text\":\"lo\"}");
	CHECK_STR(s.out.text, "\n");
	event(&s,
	      "{\"source\":\"agent\",\"action\":\"message\",\"args\":{\"content\":\"Hello\"}}");
	CHECK_STR(s.out.text, "\nHello\n");
	strbuf_reset(&s.out);
	live(&s, "{\"type\":\"delta\",\"text\":\"void\"}");
	live(&s, "{\"type\":\"retry\",\"error\":\"no network\",\"wait_ms\":2000}");
	CHECK(strstr(s.out.text, "no network; retrying in 2 s") &&
	      !strstr(s.out.text, "void"));
	event_view_done(&s);
}

/* Tables that are wider than the screen keep to it, whatever is in them. */
static void test_tables(void)
{
	static const struct {
		const char *name, *text;
		size_t columns;
	} cases[] = {
		{ "words",
		  "| a | b |\n|---|---|\n| some words in a cell | more of them here |\n",
		  20 },
		{ "a word that does not fit", "a|b\n-|-\nabcdefghijklmnopqrstuvwxyz|x\n",
		  20 },
		{ "wide characters",
		  "|一|二|\n|--|--|\n|一二三四五六七八九十|一二三四五六|\n", 20 },
		{ "joined characters",
		  "|a|b|\n|--|--|\n|👨‍👩‍👧‍👦👨‍👩‍👧‍👦 word|👨‍👩‍👧‍👦 and "
		  "words more|\n",
		  24 },
		{ "rows of other lengths",
		  "|a|b|\n|-|-|\n|1|2|3|4|\n||\n|some words that are many|\n", 20 },
		{ "bars that are text",
		  "|a|b|\n|-|-|\n|`x|y` and \\| and some words|z|\n", 20 },
		{ "text around it",
		  "Before it:\n|a|b|\n|-|-|\n|some words in a cell|more|\nafter\n", 20 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct style style = { .attributes = true, .columns = cases[i].columns };
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		struct markdown m;
		bool good = true;

		markdown_init(&m, &style);
		markdown_feed(&m, &out, cases[i].text, strlen(cases[i].text));
		markdown_end(&m, &out);
		markdown_done(&m);
		for (const char *p = out.text, *end; *p; p = end + 1) {
			end = strchrnul(p, '\n');
			good = good && text_width(p, (size_t)(end - p)) <= style.columns;
			if (!*end)
				break;
		}
		CHECK_MSG(good && out.len, "table: %s", cases[i].name);
		if (!good)
			printf("# got: [%s]\n", out.text);
	}
}

/* Streamed text is not printed again; other text is. */
static void test_once(void)
{
	static const struct {
		const char *delta, *event, *want;
	} cases[] = {
		{ "One two.", "{\"action\":\"message\",\"args\":{\"content\":\"One two.\"}}",
		  "\nOne two.\n" },
		{ "One ", "{\"action\":\"message\",\"args\":{\"content\":\"One two.\"}}",
		  "\nOne \n\ntwo.\n" },
		{ "One.\\n\\nTwo?",
		  "{\"action\":\"message\",\"args\":{\"content\":\" One.\\nTwo?\\n\\nThree\"}}",
		  "\nOne.\n\nTwo?\n\nThree\n" },
		{ "Other", "{\"action\":\"message\",\"args\":{\"content\":\"One two.\"}}",
		  "\nOther\n\nOne two.\n" },
		{ "Done.",
		  "{\"action\":\"finish\",\"args\":{\"thought\":\"Done.\",\"final_thought\":"
		  "\"Done.\"}}",
		  "\nDone.\n" },
		{ "",
		  "{\"action\":\"finish\",\"args\":{\"thought\":\"Done.\",\"final_thought\":"
		  "\"Done.\"}}",
		  "\nDone.\n" },
		{ "I try.", "{\"observation\":\"error\",\"content\":\"no\"}",
		  "\nI try.\n  no\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO(strbuf) struct strbuf delta = STRBUF(1024);
		struct event_view s;

		strbuf_addf(&delta, "{\"type\":\"delta\",\"text\":\"%s\"}",
			    cases[i].delta);
		event_view_init(&s, &none);
		live(&s, delta.text);
		live(&s, "{\"type\":\"reply\",\"model\":\"m\"}");
		event(&s, cases[i].event);
		CHECK_STR(s.out.text, cases[i].want);
		event_view_done(&s);
	}
}

static void on_skip(void *arg, const char *path, const char *why)
{
	(void)why;
	strbuf_add(arg, path);
}

/* The text that /undo restores to the input line: the message without its files. */
static void test_typed(const char *files)
{
	static const char typed[] = "see @a.txt\n\nThe file b.txt:\n```\nmine\n```";
	AUTO(strbuf) struct strbuf whole = STRBUF(1024);

	CHECK(file_mention_typed(typed) == strlen(typed)); /* b.txt is not mentioned */
	strbuf_addf(&whole, "%s%s", typed, files);
	CHECK(file_mention_typed(whole.text) == strlen(typed));
	CHECK(file_mention_typed("") == 0);
	CHECK(file_mention_typed("@a\n\nThe file ") == strlen("@a\n\nThe file "));
}

static void test_mentions(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20), skipped = STRBUF(1024);
	char dir[] = "/tmp/mention.XXXXXX", path[64];
	FILE *f;

	if (!mkdtemp(dir)) {
		SKIP("no directory");
		return;
	}
	snprintf(path, sizeof path, "%s/a.txt", dir);
	f = fopen(path, "w");
	fputs("inside\n", f);
	fclose(f);
	file_mention_complete(&out, dir, "see @a.txt, @a.txt and me@a.txt or @none; @.",
			      on_skip, &skipped);
	CHECK_STR(out.text, "\n\nThe file a.txt:\n```\ninside\n```");
	CHECK_STR(skipped.text, ".");
	test_typed(out.text);
	strbuf_reset(&out);
	{
		AUTO(strbuf) struct strbuf list = STRBUF(1024);
		AUTO(free) char *rest = completion_offer(dir, "see @a", 6, &list);
		AUTO(free) char *command = completion_offer(dir, "/he", 3, &list);

		CHECK_STR(rest, ".txt ");
		CHECK_STR(command, "lp ");
	}
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	test_events();
	test_cut_code();
	test_question();
	test_whole();
	test_wrapped();
	test_prose();
	test_long();
	test_output();
	test_markdown();
	test_lists();
	test_rows();
	test_streaming();
	test_once();
	test_tables();
	test_mentions();
	return tap_done();
}
