/* SPDX-License-Identifier: MIT
 *
 * fuzz-actions.c - calls that were found in a text, written out, read back as the same
 * calls; binding them only fails with an error message. */
#include "tests/tools/put-call.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int put_all(struct strbuf *out, const struct py_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++) {
		put_call(out, &calls->all[i]);
		strbuf_addc(out, '\n');
	}
	return out->error;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf first = STRBUF((size_t)16 << 20);
	AUTO(strbuf) struct strbuf second = STRBUF((size_t)16 << 20);
	struct error err = ERROR_NONE;
	struct py_calls calls, again;

	if (browser_calls_parse((const char *)bytes, n, n % 2, &calls, &err)) {
		if (!err.text[0] || calls.count)
			abort();
		return 0;
	}
	if (put_all(&first, &calls) ||
	    browser_calls_parse(first.text, first.len, true, &again, &err) ||
	    put_all(&second, &again) || strcmp(first.text, second.text) != 0)
		abort();
	if (actions_bind(&calls, ~0u, true, &err) && !err.text[0])
		abort();
	browser_calls_clear(&again);
	browser_calls_clear(&calls);
	return 0;
}
