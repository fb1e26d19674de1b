/* SPDX-License-Identifier: MIT
 *
 * fuzz-dialect.h - the decoder of a dialect: an answer means the same whole and
 * byte by byte. The first byte chooses status and content type. */
#ifndef TESTS_FUZZ_DIALECT_H
#define TESTS_FUZZ_DIALECT_H

#include "../llm/decode.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static inline void fuzz_answer(unsigned choice, const char *const *types, size_t count,
			       const char *text, size_t n)
{
	const struct mt_dialect *dialect = mortise_plugin_v1()->components[0].functions;
	AUTO(strbuf) struct strbuf whole = STRBUF(64 << 20), parts = STRBUF(64 << 20);
	const char *type = types[choice % count];
	int status = choice & 0x80 ? 429 : 200;

	decode_in_pieces(dialect, status, type, text, n, 0, n, &whole);
	decode_in_pieces(dialect, status, type, text, n, 0, 1, &parts);
	if (whole.len != parts.len || memcmp(whole.text, parts.text, whole.len) != 0) {
		fprintf(stderr, "whole: %s\nbytes: %s\n", whole.text, parts.text);
		abort();
	}
}

#endif
