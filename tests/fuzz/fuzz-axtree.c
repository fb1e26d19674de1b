/* SPDX-License-Identifier: MIT
 *
 * fuzz-axtree.c - any JSON as a tree: the text is valid, keeps within its limit, and a
 * text that was cut is the beginning of the whole. */
#include "plugins/tools/browser/axtree.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct ax_options options = {
		.with_visible = n & 1, .with_clickable = n & 2, .with_som = n & 4,
		.with_center = n & 8, .with_box = n & 16, .keep_generic = n & 32,
		.visible_only = n & 64, .decimals = (int)(n % 3),
	};
	AUTO(json) json_object *tree = js_parse((const char *)bytes, n, NULL);
	AUTO(strbuf) struct strbuf whole = STRBUF((size_t)16 << 20);
	AUTO(strbuf) struct strbuf part = STRBUF(200);

	if (!tree || ax_put(&whole, tree, &options, mark_of, NULL, NULL) == MT_EINVAL)
		return 0;
	ax_put(&part, tree, &options, mark_of, NULL, NULL);
	if (!utf8_valid(whole.text, whole.len) || part.len > whole.len ||
	    memcmp(part.text, whole.text, part.len) != 0)
		abort();
	return 0;
}
