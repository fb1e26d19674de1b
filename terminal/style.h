/* SPDX-License-Identifier: MIT
 *
 * style.h - text attributes and colors, if enabled. */
#ifndef TERMINAL_STYLE_H
#define TERMINAL_STYLE_H

#include "strbuf.h"
#include <stdbool.h>

enum paint { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN, REVERSE };

struct style {
	bool attributes; /* bold and dim; false: no escape sequence at all */
	bool color;
	size_t columns;
};

void style_begin(struct strbuf *out, const struct style *s, enum paint p);
void style_end(struct strbuf *out, const struct style *s, enum paint p);
/** The same, limited to this number of lines. */
void style_head(struct strbuf *out, const struct style *s, enum paint p, const char *lead,
		const char *text, size_t len, size_t most);
/** A text wrapped between words; its newlines are kept. */
void style_words(struct strbuf *out, const struct style *s, enum paint p,
		 const char *text, size_t len);
/** A line of this program, wrapped between words. */
void style_line(struct strbuf *out, const struct style *s, enum paint p,
		const char *format, ...) MT_PRINTF(4, 5);
/** A unified diff without file names. Invisible characters are escaped. */
void style_diff(struct strbuf *out, const struct style *s, const char *diff, size_t len);
/** The first and last lines of a result, wrapped; of a long line the beginning. */
void style_result(struct strbuf *out, const struct style *s, enum paint p,
		  const char *text, size_t len, size_t most);

#endif
