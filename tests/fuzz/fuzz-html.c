/* SPDX-License-Identifier: MIT
 *
 * fuzz-html.c - any bytes as a page: valid text comes out, not much longer. */
#include "plugins/tools/fetch/html.h"
#include "utf8.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static char *resolve(void *arg, const char *link)
{
	(void)arg;
	return strchr(link, '!') ? NULL : strdup(link);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf page = STRBUF(8 << 20), out = STRBUF(32 << 20);
	char charset[64];

	html_charset((const char *)bytes, n, charset);
	if (utf8_add_clean(&page, (const char *)bytes, n))
		return 0;
	if (html_to_markdown(page.text, page.len, resolve, NULL, &out))
		abort();
	if (!utf8_valid(out.text, out.len) || out.len > 64 * page.len + 64)
		abort();
	return 0;
}
