/* SPDX-License-Identifier: MIT
 *
 * test-journal.c - entries of the journal of a forked copy: written and read back, cut
 * at every byte, and malformed. */
#include "controller/plugins/plugin-journal.h"

#include "tap.h"

#include <stdbool.h>
#include <string.h>

static const struct journal_entry cases[] = {
	{ .type = JOURNAL_REQUEST },
	{ .type = JOURNAL_TOOL, .text = { { NULL, 0 } } },
	{ .type = JOURNAL_TOOL, .text = { { "", 0 } } },
	{ .type = JOURNAL_DROP, .a = INT64_MIN, .b = INT64_MAX },
	{ .type = JOURNAL_SET, .text = { { "stop", 4 }, { "[\"\0\"]", 5 } } },
	{ .type = JOURNAL_RULE, .a = -1, .b = 1,
	  .text = { { "name", 4 }, { NULL, 0 }, { "a reason", 8 } } },
};

static bool same_text(struct mt_str a, struct mt_str b)
{
	return !a.ptr == !b.ptr && a.len == b.len &&
	       (!a.ptr || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same(const struct journal_entry *a, const struct journal_entry *b)
{
	for (size_t i = 0; i < JOURNAL_TEXTS; i++)
		if (!same_text(a->text[i], b->text[i]))
			return false;
	return a->type == b->type && a->a == b->a && a->b == b->b;
}

static void test_cuts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf bytes = STRBUF(1 << 16);
		struct journal_entry e;
		size_t wrong = 0;

		CHECK(journal_put(&bytes, &cases[i]) == MT_OK);
		for (size_t cut = 0; cut < bytes.len; cut++) {
			AUTO(free) char *part = malloc(cut + 1); /* for valgrind, ASan */

			if (part)
				memcpy(part, bytes.text, cut);
			wrong += !part || journal_get(part, cut, &e) != 0;
		}
		CHECK_MSG(wrong == 0, "entry %zu, cut at every byte, is incomplete", i);
		CHECK(journal_get(bytes.text, bytes.len, &e) == (int64_t)bytes.len);
		CHECK_MSG(same(&e, &cases[i]), "entry %zu is read as it was written", i);
	}
}

static void test_malformed(void)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(1 << 16);
	const struct journal_entry e = { .type = JOURNAL_KEEP, .text = { { "ab", 2 } } };
	struct journal_entry got;
	uint32_t number;

	journal_put(&bytes, &e);
	bytes.text[bytes.len - 1] = 'x';
	CHECK(journal_get(bytes.text, bytes.len, &got) == MT_EINVAL);
	bytes.text[bytes.len - 1] = '\0';
	number = JOURNAL_MAX;
	memcpy(bytes.text + sizeof number, &number, sizeof number);
	CHECK(journal_get(bytes.text, bytes.len, &got) == MT_EINVAL);
	for (number = 0; number == 0 || number == JOURNAL_TYPES;
	     number += JOURNAL_TYPES) {
		memcpy(bytes.text, &number, sizeof number);
		CHECK(journal_get(bytes.text, bytes.len, &got) == MT_EINVAL);
	}
}

static void test_limit(void)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(64);
	struct journal_entry e = { .type = JOURNAL_KEEP,
				   .text = { { "ab", JOURNAL_MAX } } };

	CHECK(journal_put(&bytes, &e) == MT_ELIMIT);
	e.text[0].len = 2;
	CHECK(journal_put(&bytes, &e) == MT_OK);
	CHECK(journal_put(&bytes, &e) == MT_ELIMIT);
}

int main(void)
{
	test_cuts();
	test_malformed();
	test_limit();
	return tap_done();
}
