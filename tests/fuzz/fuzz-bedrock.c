/* SPDX-License-Identifier: MIT
 *
 * fuzz-bedrock.c - the decoder of Amazon Bedrock's Converse: bytes as they are,
 * or, since no chance makes a checksum, lines "name payload" as a stream. */
#include "fuzz-dialect.h"
#include "../llm/frames.h"

static void put_lines(struct strbuf *b, const char *text, size_t n)
{
	const char *end = text + n;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t len = stop ? (size_t)(stop - text) : (size_t)(end - text);
		char line[512], *payload;

		snprintf(line, sizeof line, "%.*s", (int)len, text);
		payload = strchr(line, ' ');
		if (payload)
			*payload++ = '\0';
		if (line[0] == '!')
			frames_exception(b, line + 1, payload ? payload : "");
		else
			frames_event(b, line, payload ? payload : "");
		text += len + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const types[] = { "application/vnd.amazon.eventstream",
					     "application/json", "" };
	AUTO(strbuf) struct strbuf b = STRBUF(64 << 20);

	if (n < 2)
		return 0;
	if (bytes[0] & 0x40)
		put_lines(&b, (const char *)bytes + 1, n - 1);
	else
		strbuf_addn(&b, (const char *)bytes + 1, n - 1);
	fuzz_answer(bytes[0], types, sizeof types / sizeof *types, b.text, b.len);
	return 0;
}
