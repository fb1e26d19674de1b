/* SPDX-License-Identifier: MIT
 *
 * plain.h - terminal output as plain text: colors and other sequences are removed; of
 * an overwritten line (a progress bar) the last state is kept. */
#ifndef IPYTHON_PLAIN_H
#define IPYTHON_PLAIN_H

#include "output.h"

enum { PLAIN_LINE = 64 * 1024 }; /* maximum bytes of a line that can be overwritten */

enum plain_state {
	PLAIN_TEXT,
	PLAIN_ESCAPE,   /* after ESC */
	PLAIN_CSI,      /* in a sequence that ends with a letter */
	PLAIN_STRING,   /* in a sequence that ends with BEL or ESC \ */
	PLAIN_STRING_ESCAPE,
};

struct plain {
	enum plain_state state;
	bool again;          /* after CR: further text overwrites the line */
	struct strbuf line;  /* the unfinished line */
	struct output *out;
};

void plain_init(struct plain *p, struct output *out);
/** Add text. The text without sequences is appended to `live`. */
void plain_add(struct plain *p, const char *text, size_t len, struct strbuf *live);
/** Add the unfinished line to the output. */
void plain_end(struct plain *p);
/** True if the text so far ends in a newline, or is empty. */
bool plain_at_start(const struct plain *p);
/** Drop all text, and empty the output. */
void plain_reset(struct plain *p);
void plain_clear(struct plain *p);

#endif
