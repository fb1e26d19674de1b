/* SPDX-License-Identifier: MIT
 *
 * body.h - the body of a request to a model, kept from one to the next: most
 * of a conversation is in both, and is neither encoded nor copied again.
 *
 * While a request is encoded, what stands behind `written` is of the request
 * before. Bytes that are the same only move `written` on; the first that are
 * not cut the rest off. Messages are told apart by their stamps. */
#ifndef HOST_LLM_BODY_H
#define HOST_LLM_BODY_H

#include "llm/request.h"
#include "strbuf.h"

/* Where a message begins. */
struct message_offset {
	uint64_t stamp;
	size_t start;
};

struct llm_body {
	struct strbuf bytes;
	size_t written;         /* bytes of this request */
	size_t base;            /* bytes of the request before */
	struct request_span shown; /* media before it were left out */
	struct message_offset *marks; /* by message, from the first on */
	size_t count, room;
};

/** Begin to encode, into what is left of the request before. */
void body_begin(struct llm_body *b);
int body_add(struct llm_body *b, const char *bytes, size_t len);
/** Something was appended to `bytes` with its own function: take it in. */
int body_settle(struct llm_body *b);
/** How many of the first messages are there already, their bytes written now. */
size_t body_reuse(struct llm_body *b, const struct llm_request *r);
/** Message `m` begins here. */
void body_mark(struct llm_body *b, const struct llm_request *r, size_t m);
/** Drop what is left of the request before. @return the status of it all. */
int body_end(struct llm_body *b);
void body_clear(struct llm_body *b);

#endif
