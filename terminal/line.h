/* SPDX-License-Identifier: MIT
 *
 * line.h - the text that is being typed, and what keys do to it. It knows no
 * terminal. */
#ifndef TERMINAL_LINE_H
#define TERMINAL_LINE_H

#include "strbuf.h"
#include <stdbool.h>

enum { LINE_MAX_BYTES = 512 << 10 };

struct line {
	struct strbuf text;   /* clean UTF-8; line ends are \n */
	size_t at;            /* the cursor, in bytes */
	struct strbuf killed; /* what Ctrl-Y brings back */
};

void line_init(struct line *l);
void line_done(struct line *l);
void line_set(struct line *l, const char *text);

/** Insert text at the cursor; it is cleaned. Too much is refused whole. */
int line_insert(struct line *l, const char *bytes, size_t len);

void line_left(struct line *l);
void line_right(struct line *l);
void line_word_left(struct line *l);
void line_word_right(struct line *l);
void line_home(struct line *l); /* of this row of the text */
void line_end(struct line *l);
/** To the row above or below. @return false if there is none. */
bool line_up(struct line *l);
bool line_down(struct line *l);

/** Delete from the cursor to where a movement leads; `keep` for Ctrl-Y. */
void line_delete(struct line *l, void (*move)(struct line *), bool keep);
void line_yank(struct line *l);
void line_transpose(struct line *l);
/** If the cursor stands at the end and a single backslash before it: take it off. */
bool line_continues(struct line *l);

#endif
