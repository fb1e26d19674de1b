/* SPDX-License-Identifier: MIT
 *
 * fuzz-mustache.c - any template over any data: the first line is the data, the
 * rest the template, which is also its own partial. */
#include "mustache.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *same(const char *name, void *arg)
{
	return name[0] == 'p' ? arg : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
	AUTO(free) char *text = malloc(n + 1);
	struct error err = ERROR_NONE;

	memcpy(text, bytes, n);
	text[n] = '\0';

	char *end = strchrnul(text, '\n');
	AUTO(json) json_object *data = js_parse(text, (size_t)(end - text), NULL);
	int status = mustache_render("t", *end ? end + 1 : text, data, same,
				     *end ? end + 1 : text, &out, &err);

	if (status != err.code || (status && !err.text[0]))
		abort();
	return 0;
}
