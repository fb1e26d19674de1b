/* SPDX-License-Identifier: MIT
 *
 * fuzz-axtree.c - any JSON as a tree: the text is valid, keeps within its
 * limit, and a text that was cut is the beginning of the whole. */
#include "plugins/tools/browser/outline.h"
#include "utf8.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const struct ax_mark *mark_of(void *arg, const char *bid)
{
	static const struct ax_mark seen = { .visibility = 1, .has_box = true, .x = 1.5,
					     .clickable = true, .som = true };

	(void)arg;
	return strlen(bid) % 2 ? &seen : NULL;
}

static void compare(const struct strbuf *whole, const struct strbuf *part)
{
	if (!utf8_valid(whole->text, whole->len) || part->len > whole->len ||
	    (part->len && memcmp(part->text, whole->text, part->len) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct outline_options outline = { .visible_only = n & 1 };
	AUTO(json) json_object *tree = js_parse((const char *)bytes, n, NULL);
	AUTO(strbuf) struct strbuf whole = STRBUF((size_t)16 << 20);
	AUTO(strbuf) struct strbuf part = STRBUF(200);
	bool unseen;

	if (!tree)
		return 0;
	outline_put(&whole, tree, &outline, mark_of, NULL, &unseen, NULL);
	outline_put(&part, tree, &outline, mark_of, NULL, &unseen, NULL);
	compare(&whole, &part);
	return 0;
}
