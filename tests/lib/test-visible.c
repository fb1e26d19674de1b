/* SPDX-License-Identifier: MIT
 *
 * test-visible.c - every character of a text is visible to the reader. */
#include "oom.h"
#include "tap.h"
#include "utf8.h"
#include "visible.h"

#define CASE(name, in, out) { name, in, sizeof(in) - 1, out }

struct example {
	const char *name, *in;
	size_t len;
	const char *out;
};

static const struct example lines[] = {
	CASE("plain text", "ls -la | wc -l\necho done\n", "ls -la | wc -l\necho done\n"),
	CASE("a carriage return", "rm -rf victim #\rls -la", "rm -rf victim #‹\\r›ls -la"),
	CASE("a backspace", "rm x\b\b\b\bls", "rm x‹\\b 4 times›ls"),
	CASE("two of a kind", "a\b\bc", "a‹\\b\\b›c"),
	CASE("an escape sequence", "rm\033[2K\033[1Gls", "rm‹\\e›[2K‹\\e›[1Gls"),
	CASE("a link", "\033]8;;http://x\033\\y\033]8;;\a", "‹\\e›]8;;http://x‹\\e›\\y‹\\e›]8;;‹\\a›"),
	CASE("NUL and DEL", "a\0b\177c", "a‹\\x00›b‹\\x7f›c"),
	CASE("C1", "a\xc2\x9b" "31m", "a‹\\u{9b}›31m"),
	CASE("no UTF-8", "a\xff\xfe\xe2\x82z", "a‹\\xff\\xfe\\xe2\\x82›z"),
	CASE("an overlong slash", "\xc0\xaf", "‹\\xc0\\xaf›"),
	CASE("a surrogate", "\xed\xa0\x80", "‹\\xed\\xa0\\x80›"),
	CASE("line ends of Windows", "a\r\nb\r\n", "a‹\\r›\nb‹\\r›\n"),
	CASE("a backslash of the text", "printf 'a\\rb\\x07'", "printf 'a\\rb\\x07'"),
	CASE("marks of the text", "‹\\r›", "‹\\u{2039}›\\r‹\\u{203a}›"),
	CASE("right to left override", "a\u202eb\u202c", "a‹\\u{202e}›b‹\\u{202c}›"),
	CASE("isolates", "a\u2066b\u2069", "a‹\\u{2066}›b‹\\u{2069}›"),
	CASE("zero width", "l\u200bs\u2060\ufeff", "l‹\\u{200b}›s‹\\u{2060}\\u{feff}›"),
	CASE("soft hyphen, joiner", "a\u00ad\u034fb", "a‹\\u{ad}\\u{34f}›b"),
	CASE("tags", "a\U000e0041\U000e007f", "a‹\\u{e0041}\\u{e007f}›"),
	CASE("variation selectors", "a\ufe0f\U000e0100", "a‹\\u{fe0f}\\u{e0100}›"),
	CASE("separators", "a\u2028b\u2029c\xc2\x85", "a‹\\u{2028}›b‹\\u{2029}›c‹\\u{85}›"),
	CASE("other spaces", "a\u00a0b\u3000c", "a‹\\u{a0}›b‹\\u{3000}›c"),
	CASE("blank symbols", "\u2800\u3164\u115f", "‹\\u{2800}\\u{3164}\\u{115f}›"),
	CASE("private use", "\ue000\U000f0000", "‹\\u{e000}\\u{f0000}›"),
	CASE("noncharacters", "\uffff\U0002fffe", "‹\\u{ffff}\\u{2fffe}›"),
	CASE("blanks", "ls     x   y", "ls‹5 blanks›x   y"),
	CASE("blanks at the end", "ls \nrm  ", "ls‹1 blank›\nrm‹2 blanks›"),
	CASE("a tab inside", "a\tb", "a‹\\t›b"),
	CASE("indentation", "\ta\n        b\n\t\n", "\ta\n        b\n‹\\t›\n"),
	CASE("far indentation", "                                 x", "‹33 blanks›x"),
	CASE("a Cyrillic letter", "c\u0430t", "c‹\\u{430}›t"),
	CASE("a Cyrillic word", "\u0444\u0430\u0439\u043b1", "файл1"),
	CASE("a Cyrillic sentence", "я с вами, и он у нас", "я с вами, и он у нас"),
	CASE("a sentence that begins with one letter", "О файле", "О файле"),
	CASE("a word of lookalikes", "\u0441\u0440 a b", "‹\\u{441}\\u{440}› a b"),
	CASE("the same as a command", "файл; \u0441\u0440 a",
	     "файл; ‹\\u{441}\\u{440}› a"),
	CASE("a lookalike that stands alone", "cat \u0430.txt", "cat ‹\\u{430}›.txt"),
	CASE("a Greek letter", "10\u03bcs \u03bb", "10‹\\u{3bc}›s λ"),
	CASE("full-width letters", "\uff52\uff4d -rf", "‹\\u{ff52}\\u{ff4d}› -rf"),
	CASE("mathematical letters", "\U0001d42b\U0001d426", "‹\\u{1d42b}\\u{1d426}›"),
	CASE("a dotless i", "f\u0131le", "f‹\\u{131}›le"),
	CASE("accents", "café naïve Ærø e\u0301", "café naïve Ærø e\u0301"),
	CASE("accents without a letter", "-\u0301 \u0301", "-‹\\u{301}› ‹\\u{301}›"),
	CASE("a heap of accents", "e\u0301\u0301\u0301\u0301", "e\u0301\u0301‹\\u{301}\\u{301}›"),
	CASE("struck through", "r\u0336m\u0336", "r‹\\u{336}›m‹\\u{336}›"),
	CASE("enclosed", "a\u20dd", "a‹\\u{20dd}›"),
	CASE("a slash that is none", "a\u2044b\u2215c", "a‹\\u{2044}›b‹\\u{2215}›c"),
	CASE("quotes that are none", "echo \u2019; rm \u2019",
	     "echo ‹\\u{2019}›; rm ‹\\u{2019}›"),
	CASE("an apostrophe", "don\u2019t", "don’t"),
	CASE("a hyphen that is none", "rm \u2010rf \u2013i 1\u20132",
	     "rm ‹\\u{2010}›rf ‹\\u{2013}›i 1–2"),
	CASE("Japanese", "日本語の説明（README）。", "日本語の説明（README）。"),
	CASE("a full-width semicolon", "ls\uff1brm", "ls‹\\u{ff1b}›rm"),
	CASE("a stroke that is read as a slash", "a\u4e3fb", "a‹\\u{4e3f}›b"),
	CASE("Hangul, symbols", "한글 → ok 👍 ✓ €", "한글 → ok 👍 ✓ €"),
	CASE("Hebrew", "echo שלום עולם", "echo שלום עולם"),
	CASE("Hebrew around a redirection", "cat \u05d0 > \u05d1",
	     "cat ‹\\u{5d0}› > ‹\\u{5d1}›"),
	CASE("Hebrew before a number", "mv \u05d0 1", "mv ‹\\u{5d0}› 1"),
	CASE("many of one", "\r\r\r\r\r\r\r\r\n", "‹\\r 8 times›\n"),
	CASE("many, then another", "\r\r\r\r\b", "‹\\r 4 times›‹\\b›"),
	CASE("nothing", "", ""),
};

static const struct example one_line[] = {
	CASE("a line end", "a\nb", "a‹\\n›b"),
	CASE("a tab at the beginning", "\ta", "‹\\t›a"),
	CASE("blanks at the beginning", "      a", "‹6 blanks›a"),
};

static void check(enum visible_form form, const struct example *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		bool same = strcmp(list[i].in, list[i].out) == 0 &&
			    strlen(list[i].in) == list[i].len;

		visible_add(&out, form, list[i].in, list[i].len, NULL, NULL);
		CHECK_MSG(strcmp(out.text, list[i].out) == 0, "%s", list[i].name);
		if (strcmp(out.text, list[i].out) != 0)
			printf("# got: [%s]\n", out.text);
		CHECK_MSG(visible_is_plain(form, list[i].in, list[i].len) == same,
			  "%s: plain or not", list[i].name);
	}
}

static void escapes_can_be_shown_in_another_way(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1000);

	visible_add(&out, VISIBLE_ONE_LINE, "a\r\b  ", 5, "<", ">");
	CHECK_STR(out.text, "a<‹\\r\\b›><‹2 blanks›>");
}

/* Every code point below the private planes, alone: nothing that steers comes out. */
static void no_character_steers(void)
{
	bool good = true;

	for (uint32_t code = 0x80; code < 0xf0000; code++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1000);
		unsigned char in[4];
		size_t n = 0;

		if (code < 0x800) {
			in[n++] = (unsigned char)(0xc0 | code >> 6);
		} else if (code < 0x10000) {
			in[n++] = (unsigned char)(0xe0 | code >> 12);
			in[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		} else {
			in[n++] = (unsigned char)(0xf0 | code >> 18);
			in[n++] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
			in[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		}
		in[n++] = (unsigned char)(0x80 | (code & 0x3f));
		visible_add(&out, VISIBLE_ONE_LINE, (char *)in, n, NULL, NULL);
		good &= out.len > 0 && utf8_valid(out.text, out.len);
		for (size_t i = 0; i < out.len; i++)
			good &= utf8_control(out.text + i, out.len - i) == 0;
	}
	CHECK_MSG(good, "no character steers a terminal");
}

static void much_text_takes_linear_time(void)
{
	enum { MUCH = 1 << 20 };
	AUTO(strbuf) struct strbuf in = STRBUF(MUCH * 4), out = STRBUF(MUCH * 64);

	for (int i = 0; i < MUCH / 16; i++)
		strbuf_add(&in, i % 3 ? "\u0441\u0440\u200b " : "    \u05d0\r-");
	CHECK(visible_add(&out, VISIBLE_LINES, in.text, in.len, NULL, NULL) == MT_OK);
	out = (strbuf_clear(&out), STRBUF(100));
	CHECK_MSG(visible_add(&out, VISIBLE_LINES, in.text, in.len, NULL, NULL) ==
			  MT_ELIMIT,
		  "a ceiling is reported");
}

static void memory_runs_out(void)
{
	bool good = true;

	OOM_EACH({
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		int r = visible_add(&out, VISIBLE_LINES, "a\rb\u202e", 6, "<", ">");

		good &= r == (oom_hit ? MT_ENOMEM : MT_OK);
	});
	CHECK_MSG(good, "running out of memory is reported");
}

int main(void)
{
	check(VISIBLE_LINES, lines, ARRAY_LEN(lines));
	check(VISIBLE_ONE_LINE, one_line, ARRAY_LEN(one_line));
	escapes_can_be_shown_in_another_way();
	no_character_steers();
	much_text_takes_linear_time();
	memory_runs_out();
	return tap_done();
}
