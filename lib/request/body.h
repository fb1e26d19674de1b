/* SPDX-License-Identifier: MIT
 *
 * body.h - the body of a request to a model, kept for the next request: the two share
 * most of the conversation, which is neither encoded nor copied again.
 *
 * While a request is encoded, the bytes after `written` belong to the previous request.
 * Equal bytes only advance `written`; the first different byte truncates the rest.
 * Messages are identified by their stamps. */
#ifndef LIB_REQUEST_BODY_H
#define LIB_REQUEST_BODY_H

#include "request/request.h"
#include "strbuf.h"

/* The start of a message. */
struct message_offset {
	uint64_t stamp;
	size_t start;
};

struct llm_body {
	struct strbuf bytes;
	size_t written;         /* bytes of this request */
	size_t base;            /* bytes of the previous request */
	struct request_span shown; /* earlier media were left out */
	struct message_offset *marks; /* by message index */
	size_t count, room;
};

/** Start encoding over the previous request. */
void body_begin(struct llm_body *b);
int body_add(struct llm_body *b, const char *bytes, size_t len);
/** Account for bytes that were appended to `bytes` directly. */
int body_settle(struct llm_body *b);
/** The number of leading messages that are already present; counts them as written. */
size_t body_reuse(struct llm_body *b, const struct llm_request *r);
/** Record that message `m` starts here. */
void body_mark(struct llm_body *b, const struct llm_request *r, size_t m);
/** Drop the rest of the previous request. @return the status of all writes. */
int body_end(struct llm_body *b);
void body_clear(struct llm_body *b);

#endif
