/* SPDX-License-Identifier: MIT
 *
 * fuzz-patch.c - a patch on a text: input is the text, a NUL, the patch. What is
 * refused says why; what is applied keeps every line that no section took out. */
#include "plugins/tools/patch/patch.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct source {
	const char *text;
	size_t len;
};

static int load(void *arg, const char *path, struct strbuf *ret, struct strbuf *why)
{
	const struct source *s = arg;

	(void)why;
	return path[0] == 'a' ? strbuf_addn(ret, s->text, s->len) : MT_ENOTFOUND;
}

static size_t count(const char *text, size_t len, const char *begins)
{
	size_t found = 0, k = strlen(begins);

	for (size_t i = 0; i + k <= len; i++)
		found += (i == 0 || text[i - 1] == '\n') &&
			 memcmp(text + i, begins, k) == 0;
	return found;
}

static void check(const struct patch *p, const char *text, size_t len)
{
	size_t minus = count(text, len, "-"), plus = count(text, len, "+");

	for (size_t i = 0; i < p->count; i++) {
		const struct patch_change *c = &p->changes[i];
		size_t before = count(c->old.text, c->old.len, "");
		size_t after = count(c->text.text, c->text.len, "");

		if (!*c->path)
			abort();
		if (c->kind == PATCH_UPDATE &&
		    (after + minus < before || after > before + plus))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const uint8_t *nul = memchr(bytes, 0, n);
	const char *text = nul ? (const char *)nul + 1 : (const char *)bytes;
	size_t len = nul ? n - (size_t)(nul + 1 - bytes) : n;
	struct source s = { (const char *)bytes, nul ? (size_t)(nul - bytes) : 0 };
	struct patch p;

	if (patch_apply(text, len, load, &s, &p) == MT_OK)
		check(&p, text, len);
	else if (!p.why.len)
		abort();
	patch_clear(&p);
	return 0;
}
