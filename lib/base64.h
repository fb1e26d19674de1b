/* SPDX-License-Identifier: MIT
 *
 * base64.h - base64 encoding and decoding (RFC 4648, standard alphabet, padded). */
#ifndef LIB_BASE64_H
#define LIB_BASE64_H

#include "strbuf.h"

/** Append the base64 form. Pieces whose length is a multiple of three may be
 *  encoded one after the other. */
int base64_put(struct strbuf *out, const void *bytes, size_t len);
/** Append the form for addresses and file names: - and _ instead of + and /, without
 *  padding. */
int base64_put_url(struct strbuf *out, const void *bytes, size_t len);
/** Decode base64 and append the bytes. Strict: no white space, padding only at the end,
 *  no extra bits.
 *  @return MT_OK, MT_EINVAL, or the error of the buffer. */
int base64_read(struct strbuf *out, const char *text, size_t len);

#endif
