/* SPDX-License-Identifier: MIT
 *
 * fuzz-ollama.c - the decoder of Ollama's /api/chat. */
#include "fuzz-dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const types[] = { "application/x-ndjson", "application/json",
					     "", "text/plain" };

	if (n >= 2)
		fuzz_answer(bytes[0], types, sizeof types / sizeof *types,
			    (const char *)bytes + 1, n - 1);
	return 0;
}
