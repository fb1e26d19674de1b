/* SPDX-License-Identifier: MIT
 *
 * mask.h - secrets out of texts, also where a text comes in pieces.
 *
 * Every occurrence of a secret value becomes <secret_hidden>. Empty values are
 * ignored; the longest match wins. */
#ifndef LIB_MASK_H
#define LIB_MASK_H

#include "js.h"
#include "strbuf.h"

enum { MASK_MIN = 1 };
#define MASK_TEXT "<secret_hidden>"

struct mask; /* a set of secret values */

struct mask *mask_new(void);
struct mask *mask_free(struct mask *m);
AUTO_DEFINE(mask, struct mask *, mask_free)
int mask_add(struct mask *m, const char *secret, size_t len);
bool mask_is_empty(const struct mask *m);

/** Append `text` with its secrets hidden. */
int mask_put(const struct mask *m, struct strbuf *out, const char *text, size_t len);
/** Hide secrets in every string of `value` (lists and nested objects too),
 *  in place. Member names stay. Top-level members named in `skip` (NULL-
 *  terminated list, may be NULL) are not visited.
 *  @return MT_OK or MT_ENOMEM. */
int mask_json(const struct mask *m, json_object *value, const char *const *skip);

/** Hide across pieces: keeps back what may be the start of a secret. */
struct mask_stream {
	const struct mask *mask;
	struct strbuf held;
};
void mask_stream_init(struct mask_stream *s, const struct mask *m);
int mask_stream_feed(struct mask_stream *s, struct strbuf *out, const char *bytes,
		     size_t len);
int mask_stream_end(struct mask_stream *s, struct strbuf *out); /* what was held */
void mask_stream_clear(struct mask_stream *s);

#endif
