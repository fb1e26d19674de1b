/* SPDX-License-Identifier: MIT
 *
 * frames.h - messages of an AWS event stream, for tests. */
#ifndef TESTS_LLM_FRAMES_H
#define TESTS_LLM_FRAMES_H

#include "eventstream.h"
#include <string.h>

static inline void frames_put32(struct strbuf *b, uint32_t n)
{
	const char bytes[] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8),
			       (char)n };

	strbuf_addn(b, bytes, sizeof bytes);
}

/** Append a message with text headers, given as name, value, ..., NULL. */
static inline void frames_put(struct strbuf *b, const char *const *headers,
			      const char *payload, size_t len)
{
	AUTO(strbuf) struct strbuf h = STRBUF(65536);
	size_t start = b->len;

	for (; *headers; headers += 2) {
		size_t value = strlen(headers[1]);

		strbuf_addc(&h, (char)strlen(headers[0]));
		strbuf_add(&h, headers[0]);
		strbuf_addc(&h, 7);
		strbuf_addc(&h, (char)(value >> 8));
		strbuf_addc(&h, (char)value);
		strbuf_add(&h, headers[1]);
	}
	frames_put32(b, (uint32_t)(16 + h.len + len));
	frames_put32(b, (uint32_t)h.len);
	frames_put32(b, eventstream_crc(0, b->text + start, 8));
	strbuf_addn(b, h.text, h.len);
	strbuf_addn(b, payload, len);
	frames_put32(b, eventstream_crc(0, b->text + start, b->len - start));
}

/** An event of ConverseStream. */
static inline void frames_event(struct strbuf *b, const char *type, const char *payload)
{
	const char *const headers[] = { ":event-type", type, ":content-type",
					"application/json", ":message-type", "event",
					NULL };

	frames_put(b, headers, payload, strlen(payload));
}

/** An error in a stream. */
static inline void frames_exception(struct strbuf *b, const char *type,
				    const char *payload)
{
	const char *const headers[] = { ":exception-type", type, ":content-type",
					"application/json", ":message-type", "exception",
					NULL };

	frames_put(b, headers, payload, strlen(payload));
}

#endif
