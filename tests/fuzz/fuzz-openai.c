/* SPDX-License-Identifier: MIT
 *
 * fuzz-openai.c - the decoder of chat completions and of the Responses API. */
#include "fuzz-dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const types[] = { "text/event-stream", "application/json",
					     "" };

	if (n >= 2)
		fuzz_answer(bytes[0], types, sizeof types / sizeof *types,
			    (const char *)bytes + 1, n - 1);
	return 0;
}
