/* SPDX-License-Identifier: MIT
 *
 * fuzz-journal.c - entries of the journal of a forked copy: an entry that is read and
 * written again has the same bytes. */
#include "controller/plugins/plugin-journal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	AUTO(strbuf) struct strbuf again = STRBUF(1 << 24);
	struct journal_entry e;
	size_t at = 0;
	int64_t size;

	while ((size = journal_get(text + at, n - at, &e)) > 0) {
		strbuf_reset(&again);
		if ((size_t)size > n - at || journal_put(&again, &e) != MT_OK ||
		    again.len != (size_t)size ||
		    memcmp(again.text, text + at, again.len) != 0)
			abort();
		at += (size_t)size;
	}
	return 0;
}
