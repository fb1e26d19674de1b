/* SPDX-License-Identifier: MIT
 *
 * fuzz-sse.c - whole, in single bytes, or cut anywhere: the same events. */
#include "sse.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int collect(const char *name, const char *data, size_t len, void *arg)
{
	struct strbuf *out = arg;

	strbuf_add(out, name);
	strbuf_addc(out, '|');
	strbuf_addn(out, data, len);
	return strbuf_addc(out, ']');
}

static int run(const char *bytes, size_t n, size_t step, struct strbuf *out)
{
	struct sse s;
	int status = MT_OK;

	sse_init(&s, 256, collect, out);
	for (size_t i = 0; i < n && !status; i += step)
		status = sse_feed(&s, bytes + i, n - i < step ? n - i : step);
	sse_done(&s);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf parts = STRBUF(1 << 20);
	size_t steps[] = { 1, 3, n ? bytes[0] % 17 + 1 : 1 };
	int status = run((const char *)bytes, n, n + 1, &whole);

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		strbuf_reset(&parts);
		if (run((const char *)bytes, n, steps[i], &parts) != status ||
		    parts.len != whole.len ||
		    memcmp(parts.text, whole.text, whole.len) != 0)
			abort();
	}
	return 0;
}
