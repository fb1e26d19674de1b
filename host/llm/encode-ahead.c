/* SPDX-License-Identifier: MIT
 *
 * encode-ahead.c - encodes the start of a long request before it is sent, a slice at a
 * time: llm_send then reuses the encoded messages as those of a previous request. */
#include "llm/llm-internal.h"

#include "slice.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

enum { AHEAD_BYTES = 2 << 20, AHEAD_MESSAGES = 4096 };

static size_t message_bytes(const struct llm_message *m)
{
	size_t bytes = 0;

	for (size_t i = 0; i < m->part_count; i++)
		bytes += m->parts[i].len;
	for (size_t i = 0; m->role == MT_ROLE_ASSISTANT && i < m->call_count; i++)
		bytes += m->calls[i].args_len;
	return bytes;
}

/* The end of the next messages to encode. It precedes a reply of the model, so that the
 * messages are encoded as at the end of a request. 0: too few are left, or one of them
 * cannot be reused. */
static size_t next_end(const struct llm_request *r, size_t place)
{
	size_t bytes = 0;

	for (size_t m = place; m < r->message_count; m++) {
		if (!r->messages[m].stamp)
			return 0;
		if ((bytes >= AHEAD_BYTES || m - place >= AHEAD_MESSAGES) &&
		    r->messages[m].role == MT_ROLE_ASSISTANT)
			return m;
		bytes += message_bytes(&r->messages[m]);
	}
	return 0;
}

/* Encode the first `end` messages. @return whether they can be reused. */
static bool encode_first(struct llm *l, const struct llm_request *r, size_t end)
{
	struct llm_exchange x = {
		.llm = l, .first = l, .request = r, .ahead = end, .attempt = 1,
		.url = STRBUF(16384), .body = l->kept, .text = STRBUF(0),
		.reasoning = STRBUF(0), .opaque = STRBUF(0),
		.error_text = STRBUF(4096), .answer_headers = STRBUF(0),
	};
	int status;

	exchange_reset_attempt(&x);
	x.attempt = 1;
	status = exchange_encode(&x, r, l->dialect->encode, NULL);
	l->kept = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	if (!status && !x.local) {
		l->kept = x.body;
		x.body = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	}
	exchange_clear(&x);
	strbuf_clear(&x.error_text);
	return l->kept.count == end;
}

bool llm_encode_ahead(struct llm *l, const struct llm_request *r, size_t *place,
		      uint64_t end)
{
	size_t next;

	if (!llm_feature(l, "tools"))
		return false; /* calls as text start with the first message */
	do {
		next = next_end(r, *place);
		if (!next || !encode_first(l, r, next))
			return false;
		*place = next;
	} while (!slice_is_over(end));
	return true;
}
