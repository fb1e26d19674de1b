/* SPDX-License-Identifier: MIT
 *
 * fuzz-browsing.c - replies of an agent in a browser: whatever the text, there is
 * something to do or to say, or nothing at all; a repaired reply needs no repair. */
#include "plugins/agents/browse.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf once = STRBUF(0), twice = STRBUF(0);
	struct browse_reply r;

	if (browse_repair((struct mt_str){ (const char *)bytes, n }, &once) ||
	    browse_repair((struct mt_str){ once.text, once.len }, &twice) ||
	    once.len != twice.len || memcmp(once.text, twice.text, once.len) != 0)
		abort();
	if (browse_read((struct mt_str){ once.text, once.len }, &r))
		abort();
	if (r.last && !r.actions.len)
		abort();
	browse_reply_clear(&r);
	return 0;
}
