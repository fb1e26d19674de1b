/* SPDX-License-Identifier: MIT
 *
 * utf8.h - converts any bytes to valid UTF-8, and cuts text between characters. */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** U+FFFD, the replacement for invalid bytes. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/** Step over one character, or over the bytes that one U+FFFD replaces.
 *  `len` is at least 1. @return the number of bytes; `*ret_valid` says which. */
size_t utf8_next(const char *bytes, size_t len, bool *ret_valid);
bool utf8_valid(const char *bytes, size_t len);
/** Length of the longest prefix of at most `max` bytes that ends between
 *  characters. */
size_t utf8_cut(const char *bytes, size_t len, size_t max);
/** Append as much of a text as fits, cut between characters. @return MT_OK or MT_ENOMEM */
int utf8_add_cut(struct strbuf *b, const char *text, size_t len);
int utf8_vaddf_cut(struct strbuf *b, const char *fmt, va_list ap);
/** Number of code points of valid text. */
size_t utf8_count(const char *text, size_t len);
/** Byte offset of code point `n` (len if there are fewer). */
size_t utf8_offset(const char *text, size_t len, size_t n);
/** The code point that a valid character of `len` bytes, 1 to 4, encodes. */
uint32_t utf8_code(const char *text, size_t len);
/** Encode a code point, at most 0x10ffff. @return the number of bytes, 1 to 4 */
size_t utf8_encode(uint32_t code, char ret[4]);
/** Append a code point, at most 0x10ffff, as UTF-8. */
int utf8_add_code(struct strbuf *b, uint32_t code);
/** Append bytes as valid UTF-8: invalid ones become U+FFFD. */
int utf8_add_clean(struct strbuf *b, const char *bytes, size_t len);
/** Length of the character at the start if it controls a terminal or changes the
 *  direction of the following text (C0, DEL, C1, bidirectional controls); otherwise 0. */
size_t utf8_control(const char *text, size_t len);
/** Overwrite all of these with spaces. */
void utf8_blank_controls(char *text, size_t len);
/** Leave out the white space of Unicode at both ends, as Python's strip() does. */
struct mt_str utf8_trimmed(struct mt_str text);
/** Number of bytes of an incomplete character at the end: 0 to 3. */
size_t utf8_tail(const char *bytes, size_t len);

#endif
