/* SPDX-License-Identifier: MIT
 *
 * strbuf.h - a growing string with a size limit.
 *
 * `text` is never NULL and always ends in NUL. The first failed append sets `error`, and
 * later ones have no effect, so that a caller checks once. */
#ifndef LIB_STRBUF_H
#define LIB_STRBUF_H

#include "auto.h"
#include <mortise/plugin.h>
#include <stdarg.h>

struct strbuf {
	char *text;  /* owned, unless it is the shared empty string */
	size_t len;  /* bytes, without the NUL */
	size_t room; /* bytes allocated; 0: none */
	size_t max;  /* maximum size in bytes, NUL included */
	int error;   /* MT_OK, MT_ENOMEM or MT_ELIMIT (size limit reached) */
};

extern char strbuf_empty[1];

#define STRBUF(limit) ((struct strbuf){ .text = strbuf_empty, .max = (limit) })

int strbuf_add(struct strbuf *b, const char *text); /* NUL-terminated */
int strbuf_addn(struct strbuf *b, const char *bytes, size_t n);
int strbuf_addc(struct strbuf *b, char c);
int strbuf_addf(struct strbuf *b, const char *fmt, ...) MT_PRINTF(2, 3);
int strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap);
/** Make room for `n` more bytes without adding them. */
int strbuf_reserve(struct strbuf *b, size_t n);
/** Drop the first `n` bytes (all, if fewer). */
void strbuf_consume(struct strbuf *b, size_t n);
/** Cut to `len` bytes; no effect if it is shorter. */
void strbuf_cut(struct strbuf *b, size_t len);
/** Empty it and keep the memory; the error is cleared. */
void strbuf_reset(struct strbuf *b);
/** Free its memory and make it empty. Safe on an empty one. */
void strbuf_clear(struct strbuf *b);
/** Transfer the text to the caller, who frees it. NULL if an append had failed. The
 *  buffer is empty afterwards in both cases. */
char *strbuf_take(struct strbuf *b);

static inline void auto_strbuf(struct strbuf *b)
{
	strbuf_clear(b);
}

#endif
