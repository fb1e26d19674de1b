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
/** Columns of a text without line ends. Escape sequences of our own count 0. */
size_t text_width(const char *text, size_t len);
/** Length of the longest prefix that is at most `columns` wide. */
size_t text_fit(const char *text, size_t len, size_t columns);
/** Bytes of a row that ends between words, if one of them does within `columns`; at
 *  least one cluster. The space behind them, if there is one, ends the row. */
size_t text_fit_words(const char *text, size_t len, size_t columns);

/** Cleaning of a text that comes in pieces: escape sequences, C0, C1 and bidirectional
 *  controls go, also when they are cut between pieces. Tabs become spaces; a lone
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
/** Clean a whole text for one line: line ends become spaces. */
int text_clean_line(struct strbuf *out, const char *bytes, size_t len);

#endif
