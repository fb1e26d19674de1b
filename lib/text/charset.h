/* SPDX-License-Identifier: MIT
 *
 * charset.h - detects the encoding of a text, and converts it to and from UTF-8. */
#ifndef LIB_TEXT_CHARSET_H
#define LIB_TEXT_CHARSET_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum { TEXTFILE_MAX = 10 << 20 }; /* maximum bytes of a file */

/** How a file encodes its text. */
struct charset {
	char name[32]; /* name for iconv */
	unsigned char bom[4];
	unsigned bom_len; /* bytes of the byte-order mark; 0: none */
	bool is_utf8;     /* no conversion */
	bool stray;       /* UTF-8 with invalid bytes: kept, never shown */
};

extern const struct charset charset_utf8;

/** Detect the encoding of a file's bytes and decode them without the byte-order mark.
 *  `hint`, if not NULL, is tried first. The encoding found encodes back to the same
 *  bytes. @return MT_EUNSUPPORTED if they are not text, MT_ENOMEM. */
int charset_decode(const char *bytes, size_t len, const struct charset *hint,
		   struct charset *ret, struct strbuf *out);

/** Append the bytes of a text, including the byte-order mark. @return MT_EINVAL if the
 *  encoding lacks a character; then `*ret_at` is its offset in the text. MT_ENOMEM. */
int charset_encode(const struct charset *cs, const char *text, size_t len,
		   struct strbuf *out, size_t *ret_at);

#endif
