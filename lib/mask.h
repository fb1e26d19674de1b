/* SPDX-License-Identifier: MIT
 *
 * mask.h - masks secrets in texts, including texts that arrive in pieces.
 *
 * Every occurrence of a secret value becomes <secret_hidden>: verbatim, in base64 (at each
 * offset inside a longer text, in both alphabets, with line breaks), in hexadecimal,
 * percent-encoded, escaped as in JSON strings, and in any mixture and nesting of these
 * escapes. At the end of a text, a value that was cut after at least a quarter is masked
 * too. The longest match is used. A base64 digit that the secret shares with the bytes
 * next to it is not masked; it reveals at most 4 bits. */
#ifndef LIB_MASK_H
#define LIB_MASK_H

#include "js.h"
#include "strbuf.h"

enum { MASK_MIN = 8 }; /* bytes: shorter values would hit ordinary words */
#define MASK_TEXT "<secret_hidden>" /* verbatim from OpenHands */

struct mask; /* a set of secret values */

struct mask *mask_new(void);
struct mask *mask_free(struct mask *m);
AUTO_DEFINE(mask, struct mask *, mask_free)
/** @return MT_OK (also for an empty value, and one that was added before), MT_EINVAL: too
 *  short or a placeholder, so not masked, returned only the first time; MT_ENOMEM. */
int mask_add(struct mask *m, const char *secret, size_t len);
/** True for a placeholder of an unused key ("dummy", "sk-xxxx"). */
bool mask_is_placeholder(const char *secret, size_t len);
bool mask_is_empty(const struct mask *m);

/** Append `text` with its secrets masked. */
int mask_put(const struct mask *m, struct strbuf *out, const char *text, size_t len);
/** The text with its secrets masked, in `ret`, which is empty. @return ret->text, or
 *  "(out of memory)". */
const char *mask_text(const struct mask *m, const char *text, struct strbuf *ret);
/** The same for a text whose beginning was cut off: the end of a secret at its start is
 *  masked too, unless it is encoded. */
int mask_put_rest(const struct mask *m, struct strbuf *out, const char *text, size_t len);
/** Mask secrets in every string and member name of `value` (lists and nested objects
 *  too), in place. Top-level members named in `skip` (NULL-terminated list, may be NULL)
 *  are not visited. `*ret_changed` (may be NULL) becomes true if a secret was masked.
 *  @return MT_OK or MT_ENOMEM. */
int mask_json(const struct mask *m, json_object *value, const char *const *skip,
	      bool *ret_changed);

/** Mask across pieces: buffers a possible start of a secret. */
struct mask_stream {
	const struct mask *mask;
	struct strbuf held;
};
void mask_stream_init(struct mask_stream *s, const struct mask *m);
int mask_stream_feed(struct mask_stream *s, struct strbuf *out, const char *bytes,
		     size_t len);
int mask_stream_end(struct mask_stream *s, struct strbuf *out); /* the held text */
/** Mask a piece and, with `last`, append the text that was held. */
int mask_stream_put(struct mask_stream *s, struct strbuf *out, const char *bytes,
		    size_t len, bool last);
void mask_stream_clear(struct mask_stream *s);

#endif
