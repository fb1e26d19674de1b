/* SPDX-License-Identifier: MIT
 *
 * text.h - text for a terminal: its width, and sanitizing of untrusted text from
 * everything that controls a terminal. */
#ifndef TERMINAL_TEXT_H
#define TERMINAL_TEXT_H

#include "strbuf.h"
#include <stdbool.h>

/** Length of the first cluster in bytes: a character with its combining marks and joined
 *  characters, between which the cursor cannot be. */
size_t text_cluster(const char *text, size_t len);
/** Start of the cluster that ends at `at` (> 0). */
size_t text_before(const char *text, size_t at);
/** Width of a text without newlines, in columns. Own escape sequences have width 0. */
size_t text_width(const char *text, size_t len);
/** Length of the longest prefix that is at most `columns` wide. */
size_t text_fit(const char *text, size_t len, size_t columns);
/** Length in bytes of a row of at most `columns` that ends between words if possible; at
 *  least one cluster. A space after the row is not part of it. */
size_t text_fit_words(const char *text, size_t len, size_t columns);

/** Sanitize a text in pieces: escape sequences, C0, C1 and bidirectional controls are
 *  removed, even if they are split between pieces. Tabs become spaces; a lone
 *  carriage return restarts its line; a backspace removes one character; invalid UTF-8
 *  becomes U+FFFD. */
struct cleaner {
	int state;
	size_t string;     /* skipped bytes of a control string */
	bool returned;     /* after a carriage return: the next text replaces the line */
	char tail[4];      /* the start of an incomplete character */
	size_t tail_len;
};

int text_clean_feed(struct cleaner *c, struct strbuf *out, const char *bytes, size_t len);
/** The character is incomplete and no more bytes will come: treat them as invalid. */
void text_clean_end(struct cleaner *c, struct strbuf *out);
/** Clean a whole text. */
int text_clean(struct strbuf *out, const char *bytes, size_t len);
/** Clean a whole text for one line: newlines become spaces. */
int text_clean_line(struct strbuf *out, const char *bytes, size_t len);

#endif
