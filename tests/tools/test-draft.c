/* SPDX-License-Identifier: MIT
 *
 * test-draft.c - drafts of lines: ranges, what a model is asked and answers, the
 * stretches of a file that a draft is like. */
#include "oom.h"
#include "plugins/tools/editor/draft.h"
#include "tap.h"

static struct mt_str str(const char *text)
{
	return (struct mt_str){ text, strlen(text) };
}

static void ranges(void)
{
	static const struct {
		int64_t start, end;
		size_t lines, first, last;
		int status;
	} cases[] = {
		{ 1, -1, 10, 1, 10, MT_OK },      { 1, 10, 10, 1, 10, MT_OK },
		{ 5, 5, 10, 5, 5, MT_OK },        { 10, -1, 10, 10, 10, MT_OK },
		{ 1, -1, 0, 1, 0, MT_OK },        { 1, 301, 1000, 1, 301, MT_OK },
		{ 1, 302, 1000, 1, 302, MT_ELIMIT }, { 1, -1, 302, 1, 302, MT_ELIMIT },
		{ 0, -1, 10, 0, 0, MT_EINVAL },   { -2, -1, 10, 0, 0, MT_EINVAL },
		{ 11, -1, 10, 0, 0, MT_EINVAL },  { 5, 4, 10, 0, 0, MT_EINVAL },
		{ 5, 0, 10, 0, 0, MT_EINVAL },    { 5, 11, 10, 0, 0, MT_EINVAL },
		{ 2, -1, 0, 0, 0, MT_EINVAL },    { INT64_MAX, -1, 10, 0, 0, MT_EINVAL },
		{ 1, INT64_MAX, 10, 0, 0, MT_EINVAL },
		{ INT64_MIN, INT64_MIN, 10, 0, 0, MT_EINVAL },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct error err = ERROR_NONE;
		struct draft_range r;
		int status = draft_range(cases[n].start, cases[n].end, cases[n].lines, &r,
					 &err);

		CHECK_MSG(status == cases[n].status && !r.append, "%lld to %lld of %zu",
			  (long long)cases[n].start, (long long)cases[n].end,
			  cases[n].lines);
		CHECK(status ? err.text[0]
			     : r.first == cases[n].first && r.last == cases[n].last);
	}
	struct draft_range r;

	CHECK(draft_range(-1, 77, 10, &r, NULL) == MT_OK && r.append);
}

static void answers(void)
{
	static const struct {
		const char *answer, *lines; /* NULL: there are none */
	} cases[] = {
		{ "<updated_code>\nx\n</updated_code>", "x\n" },
		{ "Well:\n<updated_code>\n  x\n\n</updated_code> There.", "  x\n\n" },
		{ "<updated_code>x</updated_code>", "x\n" },
		{ "<updated_code>  \n#EDIT: foo\nx\n</updated_code>", "x\n" },
		{ "<updated_code>\n#EDIT: foo</updated_code>", "" },
		{ "<updated_code></updated_code>", "" },
		{ "<updated_code>\n\n\nx\n</updated_code>", "\n\nx\n" },
		{ "<updated_code>\na </updated_code> b\n</updated_code>",
		  "a </updated_code> b\n" },
		{ "", NULL },
		{ "x", NULL },
		{ "<updated_code>\nx\n", NULL },
		{ "x</updated_code>", NULL },
		{ "</updated_code>x<updated_code>", NULL },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct strbuf out AUTO(strbuf) = STRBUF(1000);
		int status = draft_answer(str(cases[n].answer), &out);

		CHECK_MSG(cases[n].lines ? status == MT_OK : status == MT_EINVAL, "%s",
			  cases[n].answer);
		CHECK_STR(out.text, cases[n].lines ? cases[n].lines : "");
	}
	for (size_t len = 0; len <= strlen(cases[7].answer); len++) {
		struct strbuf out AUTO(strbuf) = STRBUF(1000);

		draft_answer((struct mt_str){ cases[7].answer, len }, &out);
		CHECK_MSG(out.len <= len, "cut at %zu", len);
	}
}

static void trimming(void)
{
	static const char *const cases[][2] = {
		{ "", "" },         { "\n \n\t\n", "" },      { "x", "x\n" },
		{ "\n\n  x\n\n", "  x\n" }, { "x\n\ny\n", "x\n\ny\n" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct strbuf out AUTO(strbuf) = STRBUF(1000);

		CHECK(draft_trim(str(cases[n][0]), &out) == MT_OK);
		CHECK_STR(out.text, cases[n][1]);
	}
}

static void likeness(void)
{
	struct strbuf text AUTO(strbuf) = STRBUF(1 << 20),
			   out AUTO(strbuf) = STRBUF(1 << 16);

	for (int n = 1; n <= 100; n++)
		strbuf_addf(&text, "%*sline %d\n", n % 7, "", n);
	CHECK(draft_like(str(text.text), str("line 45\nline 46\nelse\n  line 90"),
			 &out) == MT_OK);
	CHECK(strncmp(out.text, "[lines 41 to 60]\n41|", 20) == 0);
	CHECK(strstr(out.text, "[lines 81 to 100]\n") != NULL);
	CHECK(strstr(out.text, "[lines 1 to 20]\n") == NULL);
	strbuf_reset(&out);
	CHECK(draft_like(str(text.text), str("nothing\n\n"), &out) == MT_OK &&
	      out.len == 0);
	CHECK(draft_like(str(""), str("x"), &out) == MT_OK && out.len == 0);
	OOM_EACH(struct strbuf b = STRBUF(1 << 16);
		 draft_like(str(text.text), str("line 45"), &b); strbuf_clear(&b));
	OOM_EACH(struct strbuf b = STRBUF(1 << 16); draft_ask(str("a\n"), str("b"), &b);
		 strbuf_clear(&b));
}

int main(void)
{
	struct strbuf out AUTO(strbuf) = STRBUF(1 << 16), small AUTO(strbuf) = STRBUF(64);

	ranges();
	answers();
	trimming();
	likeness();
	CHECK(draft_ask(str("a\n"), str("b"), &out) == MT_OK);
	CHECK(strstr(out.text,
		     "<original_code>\\na\\n</original_code>\\n\\n<update_snippet>\\nb"
		     "\\n</update_snippet>\"}]}") != NULL);
	CHECK(draft_ask(str("a\n"), str("b"), &small) == MT_ELIMIT);
	return tap_done();
}
