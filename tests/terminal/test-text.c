/* SPDX-License-Identifier: MIT
 *
 * test-text.c - widths, and external text without control sequences. */
#include "tap.h"
#include "text.h"

static void test_width(void)
{
	static const struct {
		const char *text;
		size_t width;
	} cases[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "日本", 4 },
		{ "e\u0301", 1 },          /* e and a combining acute */
		{ "\033[1mab\033[0m", 2 }, /* our own attributes */
		{ "\xff\xfe", 2 },         /* no text: one column a byte */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_MSG(text_width(cases[i].text, strlen(cases[i].text)) ==
				  cases[i].width,
			  "width of case %zu", i);
	CHECK(text_fit("日本語", 9, 5) == 6);
	CHECK(text_fit("\033[1mabc", 7, 2) == 6);
	CHECK(text_cluster("e\u0301x", 4) == 3);
	CHECK(text_before("ae\u0301", 4) == 1);
	CHECK(text_before("a👩\u200d💻", 12) == 1);
}

static const struct {
	const char *name, *in, *out;
} dirty[] = {
	{ "plain", "hello\nworld", "hello\nworld" },
	{ "color", "\033[31mred\033[0m!", "red!" },
	{ "title", "a\033]0;evil\007b", "ab" },
	{ "title ended by ST", "a\033]0;evil\033\\b", "ab" },
	{ "device control", "a\033Pq#0\033\\b", "ab" },
	{ "character set", "a\033(0b", "ab" },
	{ "clear and home", "\033[2J\033[Hx", "x" },
	{ "bell and backspace", "ab\a\bc", "ac" },
	{ "line end of Windows", "a\r\nb", "a\nb" },
	{ "progress", "10%\r20%\r30%\nend", "30%\nend" },
	{ "tab", "a\tb", "a       b" },
	{ "C1", "a\xc2\x9b" "31mb", "a31mb" },
	{ "right to left", "a\u202eb", "ab" },
	{ "delete", "a\177b", "ab" },
	{ "no UTF-8", "a\xffz", "a\xef\xbf\xbdz" },
	{ "a sequence that a newline ends", "\033[31\nx", "x" },
	{ "wide", "日本語", "日本語" },
};

static void test_clean(void)
{
	for (size_t i = 0; i < sizeof dirty / sizeof *dirty; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

		text_clean(&out, dirty[i].in, strlen(dirty[i].in));
		CHECK_MSG(strcmp(out.text, dirty[i].out) == 0, "clean: %s",
			  dirty[i].name);
	}
}

/* Cut anywhere, the same comes out. */
static void test_pieces(void)
{
	bool good = true;

	for (size_t i = 0; i < sizeof dirty / sizeof *dirty; i++) {
		size_t len = strlen(dirty[i].in);

		for (size_t cut = 0; cut <= len; cut++) {
			AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
			struct cleaner c = { 0 };

			text_clean_feed(&c, &out, dirty[i].in, cut);
			text_clean_feed(&c, &out, dirty[i].in + cut, len - cut);
			if (strcmp(out.text, dirty[i].out) != 0) {
				printf("# %s cut at %zu: %s\n", dirty[i].name, cut,
				       out.text);
				good = false;
			}
		}
	}
	CHECK_MSG(good, "text in two pieces, cut at every byte");
}

static void test_endless(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct cleaner c = { 0 };

	text_clean_feed(&c, &out, "\033]0;", 4);
	for (int i = 0; i < 10000; i++)
		text_clean_feed(&c, &out, "x", 1);
	CHECK_MSG(out.len > 5000, "a title that never ends does not swallow the rest");
}

static void test_line(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

	text_clean_line(&out, "a\n\tb \033[1mc\r\n", 12);
	CHECK_STR(out.text, "a  b c");
}

int main(void)
{
	test_width();
	test_clean();
	test_pieces();
	test_endless();
	test_line();
	return tap_done();
}
