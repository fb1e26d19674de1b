/* SPDX-License-Identifier: MIT
 *
 * fuzz-jsonl.c - the lines are those that a plain split gives, cut anyhow. */
#include "jsonl.h"
#include <string.h>

enum { MAX_LINE = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int collect(char *line, size_t len, void *arg)
{
	struct strbuf *out = arg;

	if (line[len] != '\0')
		abort();
	strbuf_addn(out, line, len);
	memset(line, 'x', len);
	return strbuf_addc(out, '\n');
}

static int plain(const char *bytes, size_t n, struct strbuf *out)
{
	for (const char *end; (end = memchr(bytes, '\n', n));) {
		size_t line = (size_t)(end - bytes);
		size_t len = line - (line > 0 && end[-1] == '\r');

		if (len > MAX_LINE)
			return MT_ELIMIT;
		strbuf_addn(out, bytes, len);
		strbuf_addc(out, '\n');
		bytes += line + 1;
		n -= line + 1;
	}
	return n > MAX_LINE + 1 ? MT_ELIMIT : MT_OK;
}

static int run(const char *bytes, size_t n, size_t step, struct strbuf *out)
{
	struct jsonl j;
	int status = MT_OK;

	jsonl_init(&j, MAX_LINE, collect, out);
	for (size_t i = 0; i < n && !status; i += step)
		status = jsonl_feed(&j, bytes + i, n - i < step ? n - i : step);
	jsonl_done(&j);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf want = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);
	size_t steps[] = { 1, n + 1, n ? bytes[0] % 31 + 1 : 1 };
	int status = plain((const char *)bytes, n, &want);

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		strbuf_reset(&got);
		if (run((const char *)bytes, n, steps[i], &got) != status ||
		    got.len != want.len || memcmp(got.text, want.text, got.len) != 0)
			abort();
	}
	return 0;
}
