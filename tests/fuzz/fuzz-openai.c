/* SPDX-License-Identifier: MIT
 *
 * fuzz-openai.c - the decoder of chat completions: an answer means the same
 * whole and byte by byte. The first byte chooses status and content type. */
#include "../llm/decode.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const types[] = { "text/event-stream", "application/json",
					     "" };
	const struct mt_dialect *dialect = mortise_plugin_v1()->components[0].functions;
	AUTO(strbuf) struct strbuf whole = STRBUF(64 << 20), parts = STRBUF(64 << 20);
	const char *text = (const char *)bytes + 1, *type;
	int status;

	if (n < 2)
		return 0;
	n--;
	type = types[bytes[0] % 3];
	status = bytes[0] & 0x80 ? 429 : 200;
	decode_in_pieces(dialect, status, type, text, n, 0, n, &whole);
	decode_in_pieces(dialect, status, type, text, n, 0, 1, &parts);
	if (whole.len != parts.len || memcmp(whole.text, parts.text, whole.len) != 0)
		abort();
	return 0;
}
