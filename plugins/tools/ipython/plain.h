/* SPDX-License-Identifier: MIT
 *
 * plain.h - terminal output as plain text: colors and other sequences are removed; of
 * an overwritten line (a progress bar) the last state is kept. */
#ifndef IPYTHON_PLAIN_H
#define IPYTHON_PLAIN_H

#include "output.h"

enum { PLAIN_LINE = 64 * 1024 }; /* of a line that can still be written over */

enum plain_state {
	PLAIN_TEXT,
	PLAIN_ESCAPE,   /* after ESC */
	PLAIN_CSI,      /* in a sequence that ends with a letter */
	PLAIN_STRING,   /* in one that ends with BEL or ESC \ */
	PLAIN_STRING_ESCAPE,
};

struct plain {
	enum plain_state state;
	bool again;          /* after CR: further text overwrites the line */
	struct strbuf line;  /* that has no end yet */
	struct output *out;
};

void plain_init(struct plain *p, struct output *out);
/** Add text. What is left of it without sequences is appended to `live`. */
void plain_add(struct plain *p, const char *text, size_t len, struct strbuf *live);
/** Put what is an unfinished line into the output. */
void plain_end(struct plain *p);
/** True if what has been added ends in a newline, or is nothing. */
bool plain_at_start(const struct plain *p);
/** Forget all that was added, and empty the output. */
void plain_reset(struct plain *p);
void plain_clear(struct plain *p);

#endif
