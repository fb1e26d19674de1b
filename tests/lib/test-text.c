/* SPDX-License-Identifier: MIT
 *
 * test-text.c - strbuf, utf8, columns, error, quoting for a shell. */
#include "columns.h"
#include "error.h"
#include "oom.h"
#include "shell.h"
#include "space.h"
#include "strbuf.h"
#include "tap.h"
#include "utf8.h"

static void a_buffer_grows_up_to_its_ceiling(void)
{
	struct strbuf b = STRBUF(8);

	CHECK(strbuf_add(&b, "1234567") == MT_OK && b.len == 7);
	CHECK(strbuf_addc(&b, '8') == MT_ELIMIT);
	CHECK_STR(b.text, "1234567");
	CHECK_MSG(strbuf_add(&b, "") == MT_ELIMIT, "the error sticks");
	CHECK(strbuf_take(&b) == NULL && b.len == 0 && b.error == MT_OK);
	CHECK(strbuf_addf(&b, "%d-%s", 12, "ab") == MT_OK);
	CHECK_STR(b.text, "12-ab");
	CHECK(strbuf_addf(&b, "%s", "12345") == MT_ELIMIT);
	CHECK_STR(b.text, "12-ab");
	strbuf_clear(&b);
	CHECK_STR(b.text, "");
	b = STRBUF(0);
	CHECK(strbuf_addc(&b, 'x') == MT_ELIMIT);
	strbuf_clear(&b);
}

static void a_buffer_is_cut_at_both_ends(void)
{
	struct strbuf b = STRBUF(1000);

	strbuf_add(&b, "hello world");
	strbuf_consume(&b, 6);
	CHECK_STR(b.text, "world");
	strbuf_cut(&b, 3);
	CHECK_STR(b.text, "wor");
	strbuf_cut(&b, 99);
	strbuf_consume(&b, 99);
	CHECK_STR(b.text, "");

	char *text = strbuf_take(&b);

	CHECK_STR(text, "");
	free(text);
	for (int i = 0; i < 200; i++)
		strbuf_addf(&b, "%d,", i);
	CHECK(b.len == 690 && strlen(b.text) == 690);
	strbuf_reset(&b);
	CHECK(b.len == 0 && b.room > 0 && b.text[0] == '\0');
	strbuf_clear(&b);
}

static void a_buffer_without_memory(void)
{
	OOM_EACH({
		struct strbuf b = STRBUF(1000);

		strbuf_add(&b, "abc");
		strbuf_addf(&b, "%0200d", 7);

		char *text = strbuf_take(&b);

		if (oom_hit && text)
			CHECK_MSG(0, "a text was taken without memory");
		free(text);
	});
	CHECK_OOM();
}

static const struct {
	const char *bytes;
	bool valid;
	const char *clean;
	size_t tail;
} texts[] = {
	{ "", true, "", 0 },
	{ "plain", true, "plain", 0 },
	{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", true,
	  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 0 },
	{ "a\xff" "b", false, "a\xef\xbf\xbd" "b", 0 },
	{ "\xc0\x80", false, "\xef\xbf\xbd\xef\xbf\xbd", 0 },
	{ "\xed\xa0\x80", false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 0 },
	{ "\xf4\x90\x80\x80", false,
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 0 },
	{ "x\xe2\x82", false, "x\xef\xbf\xbd", 2 },
	{ "x\xf0\x9f\x98", false, "x\xef\xbf\xbd", 3 },
	{ "x\xc3", false, "x\xef\xbf\xbd", 1 },
	{ "\xe2\x82" "x", false, "\xef\xbf\xbd" "x", 0 },
	{ "\x80\x80\x80\x80", false,
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 0 },
};

static void code_points_are_encoded(void)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1000);
	static const uint32_t codes[] = { 0x7f,   0x80,    0x7ff,   0x800,
					  0xffff, 0x10000, 0x10ffff };

	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		CHECK(utf8_add_code(&b, codes[i]) == MT_OK);
	CHECK_STR(b.text, "\x7f"
			  "\xc2\x80"
			  "\xdf\xbf"
			  "\xe0\xa0\x80"
			  "\xef\xbf\xbf"
			  "\xf0\x90\x80\x80"
			  "\xf4\x8f\xbf\xbf");
}

static void texts_are_cleaned(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(strbuf) struct strbuf b = STRBUF(1000);
		size_t len = strlen(texts[i].bytes);

		utf8_add_clean(&b, texts[i].bytes, len);
		CHECK_MSG(utf8_valid(texts[i].bytes, len) == texts[i].valid,
			  "text %zu is %svalid", i, texts[i].valid ? "" : "not ");
		CHECK_STR(b.text, texts[i].clean);
		CHECK_MSG(utf8_tail(texts[i].bytes, len) == texts[i].tail,
			  "text %zu has a tail of %zu", i, texts[i].tail);
	}
}

static const struct {
	const char *text;
	size_t control;
	const char *blanked;
} controls[] = {
	{ "", 0, "" },
	{ "a\033[2Jb", 0, "a [2Jb" },
	{ "\033[2J", 1, " [2J" },
	{ "\x7f\r\n", 1, "   " },
	{ "\xc2\x9b" "31m", 2, "  31m" },
	{ "\xc2\xa0", 0, "\xc2\xa0" },
	{ "\xe2\x80\xae" "x\xe2\x81\xa6", 3, "   x   " },
	{ "\xe2\x82\xac\xe2\x80\xa6", 0, "\xe2\x82\xac\xe2\x80\xa6" },
	{ "\xc2", 0, "\xc2" },
	{ "\xe2\x80", 0, "\xe2\x80" },
};

static void what_steers_a_terminal_is_blanked(void)
{
	for (size_t i = 0; i < ARRAY_LEN(controls); i++) {
		size_t len = strlen(controls[i].text);
		char copy[32] = "";

		memcpy(copy, controls[i].text, len);
		CHECK_MSG(utf8_control(copy, len) == controls[i].control, "text %zu", i);
		utf8_blank_controls(copy, len);
		CHECK_STR(copy, controls[i].blanked);
	}
}

static void cuts_keep_characters_whole(void)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK_MSG(utf8_cut(text, 11, i) == want[i], "cut at %zu", i);
	CHECK(utf8_count(text, 11) == 5);
	CHECK(utf8_offset(text, 11, 0) == 0 && utf8_offset(text, 11, 3) == 6);
	CHECK(utf8_code(text, 1) == 'a' && utf8_code(text + 1, 2) == 0xe9);
	CHECK(utf8_code(text + 3, 3) == 0x20ac && utf8_code(text + 6, 4) == 0x1f600);
	CHECK(utf8_offset(text, 11, 5) == 11 && utf8_offset(text, 11, 9) == 11);
}

static void cells_are_measured_in_columns(void)
{
	/* a, e with an accent of its own, a cat of two columns, z */
	static const char text[] = "ae\xcc\x81\xe7\x8c\xabz";
	static const size_t fits[] = { 0, 1, 4, 4, 7, 8, 8 };
	struct strbuf b = STRBUF(100);

	CHECK(columns_count(text, 8) == 5 && columns_count("", 0) == 0);
	CHECK(columns_count("\xe7\x8c", 2) == 1);
	for (size_t i = 0; i < ARRAY_LEN(fits); i++)
		CHECK_MSG(columns_fit(text, 8, i) == fits[i], "%zu columns", i);
	columns_put(&b, text, 8, 7, SIZE_MAX);
	columns_put(&b, "x\n\x1b[\xff|", 6, 0, SIZE_MAX);
	CHECK_STR(b.text, "ae\xcc\x81\xe7\x8c\xabz  x  [" UTF8_REPLACEMENT "|");
	strbuf_reset(&b);
	columns_put(&b, text, 8, 4, 3);
	columns_put(&b, "", 0, 0, 9);
	CHECK_STR(b.text, "ae\xcc\x81  ");
	strbuf_clear(&b);
	b = STRBUF(4);
	CHECK(columns_put(&b, "12345", 5, 0, 9) == MT_ELIMIT && b.len <= 4);
	CHECK(columns_put(&b, "", 0, 9, 9) == MT_ELIMIT);
	strbuf_clear(&b);
}

static void the_first_error_stays(void)
{
	struct error err = ERROR_NONE;
	char big[2000];

	CHECK(fail(&err, MT_EIO, "one\ntwo\x7f") == MT_EIO);
	CHECK(fail(&err, MT_EINVAL, "later") == MT_EINVAL);
	CHECK(err.code == MT_EIO);
	CHECK_STR(err.text, "one two ");
	CHECK_STR(error_text(&err), "one two ");
	CHECK_STR(error_text(&ERROR_NONE), "out of memory");
	CHECK(fail(NULL, MT_ENOMEM, "x") == MT_ENOMEM);

	err = ERROR_NONE;
	fail(&err, MT_EIO, "a\xff\xe2\x82z");
	CHECK_STR(err.text, "a???z");

	memset(big, 'a', sizeof big);
	for (size_t i = 0; i + 3 < sizeof big; i += 3)
		memcpy(big + i, "\xe2\x82\xac", 3);
	big[sizeof big - 1] = '\0';
	err = ERROR_NONE;
	fail(&err, MT_EIO, "x%s", big);
	CHECK(utf8_valid(err.text, strlen(err.text)) && strlen(err.text) > 500);
	for (int code = 0; code >= MT_EEXIST; code--)
		CHECK(strcmp(status_name(code), "unknown status") != 0);
	CHECK_STR(status_name(99), "unknown status");
}

static void white_space_at_the_ends_is_left_out(void)
{
	static const struct {
		const char *text, *trimmed, *without_start;
	} cases[] = {
		{ "", "", "" }, { "a", "a", "a" }, { " \t\r\n\v\f", "", "" },
		{ "  a b\n", "a b", "a b\n" }, { "\na", "a", "a" }, { "a\t", "a", "a\t" },
		{ "\x1c\xc2\xa0", "\x1c\xc2\xa0", "\x1c\xc2\xa0" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *text = cases[i].text;
		size_t len = strlen(text);
		struct mt_str s = space_trimmed((struct mt_str){ text, len });
		struct strbuf b = STRBUF(100);

		CHECK_MSG(s.len == strlen(cases[i].trimmed) &&
				  !memcmp(s.ptr, cases[i].trimmed, s.len),
			  "case %zu is trimmed", i);
		space_trim_start(&text, &len);
		CHECK_STR(text, cases[i].without_start);
		strbuf_add(&b, text);
		space_trim_buffer(&b);
		CHECK_STR(b.text, cases[i].trimmed);
		strbuf_clear(&b);
	}
}

static void white_space_of_unicode_at_the_ends_is_left_out(void)
{
	static const struct {
		const char *text, *trimmed;
	} cases[] = {
		{ "", "" }, { "a", "a" }, { " \t\x1c\x1f\n", "" },
		{ "\xc2\xa0 a\xc2\xa0" "b\xc2\x85", "a\xc2\xa0" "b" },
		{ "\xe2\x80\x80\xe3\x80\x80\xc3\xa0\xe2\x80\xa9", "\xc3\xa0" },
		{ "\xe2\x80\x8b", "\xe2\x80\x8b" }, /* not a white space */
		{ "\xa0", "\xa0" }, { "\xe2\x80", "\xe2\x80" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *text = cases[i].text;
		struct mt_str s = utf8_trimmed((struct mt_str){ text, strlen(text) });

		CHECK_MSG(s.len == strlen(cases[i].trimmed) &&
				  !memcmp(s.ptr, cases[i].trimmed, s.len),
			  "Unicode case %zu is trimmed", i);
	}
}

static void words_are_quoted_for_a_shell(void)
{
	struct strbuf b = STRBUF(40);

	CHECK(shell_quote(&b, "") == MT_OK);
	CHECK_STR(b.text, "''");
	strbuf_reset(&b);
	CHECK(shell_quote(&b, "a b$x\\") == MT_OK);
	CHECK_STR(b.text, "'a b$x\\'");
	strbuf_reset(&b);
	CHECK(shell_quote(&b, "it's") == MT_OK);
	CHECK_STR(b.text, "'it'\\''s'");
	strbuf_reset(&b);
	CHECK(shell_quote(&b, "12345678901234567890123456789012345678901234567890") ==
	      MT_ELIMIT);
	strbuf_clear(&b);
}

int main(void)
{
	a_buffer_grows_up_to_its_ceiling();
	a_buffer_is_cut_at_both_ends();
	a_buffer_without_memory();
	code_points_are_encoded();
	texts_are_cleaned();
	cuts_keep_characters_whole();
	what_steers_a_terminal_is_blanked();
	cells_are_measured_in_columns();
	the_first_error_stays();
	white_space_at_the_ends_is_left_out();
	white_space_of_unicode_at_the_ends_is_left_out();
	words_are_quoted_for_a_shell();
	return tap_done();
}
