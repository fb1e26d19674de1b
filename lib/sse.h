/* SPDX-License-Identifier: MIT
 *
 * sse.h - server-sent events, fed in pieces of any size.
 *
 * Push parser of the event stream format of the HTML standard (section 9.2.6):
 * lines end at \n, \r or \r\n, a byte-order mark at the start is skipped,
 * comments and unknown fields are ignored. */
#ifndef LIB_SSE_H
#define LIB_SSE_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

struct sse {
	struct strbuf line, event, data;
	size_t data_lines, max;
	unsigned bom; /* bytes of a byte-order mark read; 3: done */
	char last;
	int error;
	struct strbuf id;  /* of the last event that had one; "" */
	int64_t retry_ms;  /* requested by the server; -1: none */
	/** One event: its name ("message" if it has none) and data. Return
	 *  non-zero to stop: sse_feed returns it. */
	int (*on_event)(const char *name, const char *data, size_t len, void *arg);
	void *arg;
};

void sse_init(struct sse *s, size_t max_event,
	      int (*on_event)(const char *name, const char *data, size_t len, void *arg),
	      void *arg);
int sse_feed(struct sse *s, const char *bytes, size_t len);
void sse_done(struct sse *s);

#endif
