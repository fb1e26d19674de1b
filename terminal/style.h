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
/** Append text, each line after `lead`: at most `most` lines, the last of which then
 *  reports how many were omitted. */
void style_head(struct strbuf *out, const struct style *s, enum paint p, const char *lead,
		const char *text, size_t len, size_t most);
/** Append text wrapped between words; its newlines are kept. */
void style_words(struct strbuf *out, const struct style *s, enum paint p,
		 const char *text, size_t len);
/** Append a line of this program, wrapped between words. */
void style_line(struct strbuf *out, const struct style *s, enum paint p,
		const char *format, ...) MT_PRINTF(4, 5);
/** Append a unified diff without file names. Invisible characters are escaped. */
void style_diff(struct strbuf *out, const struct style *s, const char *diff, size_t len);
/** Append the first and last lines of a result, wrapped; long lines are truncated. */
void style_result(struct strbuf *out, const struct style *s, enum paint p,
		  const char *text, size_t len, size_t most);

#endif
