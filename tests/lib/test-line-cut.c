/* SPDX-License-Identifier: MIT
 *
 * test-line-cut.c - output shortened at line ends, and the count of what is missing. */
#include "line-cut.h"
#include "output.h"
#include "tap.h"
#include "oom.h"
#include <string.h>

static const char *path(void *arg)
{
	int *asked = arg;

	++*asked;
	return "/spool/1";
}

static const struct {
	const char *in;
	size_t chars, line;
	const char *out;
} cases[] = {
	{ "", 10, 10, "" },
	{ "a\nb", 10, 10, "a\nb" },
	{ "1\n2\n3\n4\n5\n6\n", 8, 8,
	  "1\n2\n[2 of 6 lines omitted; full output: /spool/1]\n5\n6\n" },
	{ "1\n2\n3\n4\n5\n6", 8, 8,
	  "1\n2\n[2 of 6 lines omitted; full output: /spool/1]\n5\n6" },
	{ "\xc3\xa4\xc3\xa4\n\xc3\xb6\xc3\xb6\n", 6, 6, "\xc3\xa4\xc3\xa4\n\xc3\xb6\xc3\xb6\n" },
	{ "abcdefghij\nx", 40, 4,
	  "ab [6 of 10 characters omitted] ij\nx\n"
	  "[Long lines are cut; full output: /spool/1]" },
	{ "abcdefghij", 4, 4,
	  "[1 of 1 lines omitted; full output: /spool/1]\n" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(4096);
		int asked = 0;
		bool cut;
		const struct line_cut c = {
			.text = cases[i].in, .len = strlen(cases[i].in),
			.chars_max = cases[i].chars, .line_max = cases[i].line,
			.full = path, .arg = &asked,
		};

		CHECK(line_cut(&c, &out, &cut) == MT_OK);
		CHECK_STR(out.text ? out.text : "", cases[i].out);
		CHECK_MSG(cut == (asked == 1) && asked <= 1, "case %zu: asked %d", i,
			  asked);
	}
}

/* Every line of a flood is counted, wherever the rings drop it. */
static void test_flood(void)
{
	static struct output o;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20), out = STRBUF(1 << 20);
	char line[32];
	const size_t total = 100000;

	output_reset(&o);
	for (size_t i = 1; i <= total; i++)
		output_add(&o, line, (size_t)snprintf(line, sizeof line, "%zu\n", i));
	CHECK(output_text(&o, &text) == MT_OK);
	const struct line_cut c = {
		.text = text.text, .len = text.len, .gap = o.head_len,
		.lost_bytes = o.lost_bytes, .lost_lines = o.lost_lines, .chars_max = 40,
		.line_max = 20,
	};

	CHECK(line_cut(&c, &out, NULL) == MT_OK);
	CHECK_STR(out.text,
		  "1\n2\n3\n4\n5\n6\n7\n8\n9\n[99,988 of 100,000 lines omitted]\n"
		  "99998\n99999\n100000\n");
}

/* One line that is longer than what is kept. */
static void test_long_line(void)
{
	static struct output o;
	static const char piece[1000] = { [0 ... 999] = 'x' };
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20), out = STRBUF(1 << 20);

	output_reset(&o);
	for (int i = 0; i < 1000; i++)
		output_add(&o, piece, sizeof piece);
	output_text(&o, &text);
	const struct line_cut c = {
		.text = text.text, .len = text.len, .gap = o.head_len,
		.lost_bytes = o.lost_bytes, .lost_lines = o.lost_lines, .chars_max = 400,
		.line_max = 10,
	};

	CHECK(line_cut(&c, &out, NULL) == MT_OK);
	CHECK_STR(out.text, "xxxxx [999,990 of 1,000,000 characters omitted] xxxxx\n"
			    "[Long lines are cut]");
}

/* Adding in any pieces counts the same. */
static void test_pieces(void)
{
	static struct output whole, pieces;
	static char text[400000];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i % 7 ? 'a' : '\n';
	output_reset(&whole);
	output_add(&whole, text, sizeof text);
	output_reset(&pieces);
	for (size_t at = 0, n; at < sizeof text; at += n) {
		n = at % 5000 + 1;
		n = n < sizeof text - at ? n : sizeof text - at;
		output_add(&pieces, text + at, n);
	}
	CHECK(whole.lost_bytes == sizeof text - OUTPUT_HEAD - OUTPUT_TAIL);
	CHECK(whole.lost_bytes == pieces.lost_bytes);
	CHECK(whole.lost_lines == pieces.lost_lines);
}

static void test_memory(void)
{
	OOM_EACH({
		struct strbuf out = STRBUF(4096);
		const struct line_cut c = { .text = "1\n2\n3\n4\n", .len = 8,
					    .chars_max = 4, .line_max = 4 };
		int r = line_cut(&c, &out, NULL);

		if (r != MT_OK)
			CHECK(r == MT_ENOMEM);
		strbuf_clear(&out);
	});
	CHECK_OOM();
}

int main(void)
{
	test_cases();
	test_flood();
	test_long_line();
	test_pieces();
	test_memory();
	return tap_done();
}
