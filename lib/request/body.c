/* SPDX-License-Identifier: MIT
 *
 * body.c - writes the body of a request over the body of the previous one. */
#include "request/body.h"
#include "array.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>
#include <string.h>

void body_begin(struct llm_body *b)
{
	b->written = 0;
	b->base = b->bytes.len;
}

int body_settle(struct llm_body *b)
{
	char *text = b->bytes.text;
	size_t len = b->bytes.len - b->base;

	if (b->bytes.error || len == 0)
		return b->bytes.error;
	if (len <= b->base - b->written &&
	    memcmp(text + b->written, text + b->base, len) == 0) {
		b->written += len;
	} else {
		if (b->written < b->base)
			memmove(text + b->written, text + b->base, len);
		b->written += len;
		b->base = b->written;
	}
	strbuf_cut(&b->bytes, b->base);
	return MT_OK;
}

int body_add(struct llm_body *b, const char *bytes, size_t len)
{
	strbuf_addn(&b->bytes, bytes, len);
	return body_settle(b);
}

/* The stamp of a message and of the cache breakpoint after it; 0: unknown. `turns`:
 * llm_request_last_turns(r). */
static uint64_t stamp_of(const struct llm_request *r, size_t m, size_t turns)
{
	const struct llm_message *x = &r->messages[m];
	bool may = m >= turns || x->cache || x->role == MT_ROLE_SYSTEM;

	return x->stamp ? x->stamp << 1 | (may && llm_request_cache(r, m)) : 0;
}

/* The number of leading messages that have the same media in both requests. */
static size_t same_media(const struct request_span *a, const struct request_span *b)
{
	if (a->message == b->message && a->part == b->part)
		return SIZE_MAX;
	return a->message < b->message ? a->message : b->message;
}

size_t body_reuse(struct llm_body *b, const struct llm_request *r)
{
	size_t same = 0, most = b->count, turns = llm_request_last_turns(r);
	size_t media = same_media(&b->shown, &r->shown);

	b->shown = r->shown;
	if (most > media)
		most = media;
	if (most > r->message_count)
		most = r->message_count;
	while (same < most && b->marks[same].stamp &&
	       b->marks[same].stamp == stamp_of(r, same, turns))
		same++;
	/* another message now follows the last one, which may change its bytes */
	if (same > 0)
		same--;
	if (same == 0 || b->written == b->base || b->written != b->marks[0].start) {
		b->count = 0;
		return 0;
	}
	b->written = b->marks[same].start;
	b->count = same;
	return same;
}

void body_mark(struct llm_body *b, const struct llm_request *r, size_t m)
{
	if (m == 0)
		b->count = 0;
	if (m != b->count || m >= r->message_count)
		return;
	if (ARRAY_GROW(b->marks, &b->room, b->count + 1, ARRAY_MAX))
		return;
	b->marks[b->count++] = (struct message_offset){
		.stamp = stamp_of(r, m, llm_request_last_turns(r)),
		.start = b->written,
	};
}

int body_end(struct llm_body *b)
{
	strbuf_cut(&b->bytes, b->written);
	b->base = b->written;
	return b->bytes.error;
}

void body_clear(struct llm_body *b)
{
	strbuf_clear(&b->bytes);
	free(b->marks);
	*b = (struct llm_body){ .bytes = STRBUF(b->bytes.max) };
}
