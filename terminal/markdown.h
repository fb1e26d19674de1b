/* SPDX-License-Identifier: MIT
 *
 * markdown.h - streamed Markdown: a block is shown as it arrives, and laid out once
 * when it is complete. */
#ifndef TERMINAL_MARKDOWN_H
#define TERMINAL_MARKDOWN_H

#include "style.h"
#include "text.h"

enum { MARKDOWN_BLOCK_MAX = 64 << 10 };

struct markdown {
	const struct style *style;
	struct cleaner cleaner;
	struct strbuf line;  /* the line that is not over */
	struct strbuf block; /* whole lines of a block that is not over */
	size_t fence;        /* length of the fence that opened the code; 0: none */
	char mark;           /* its character */
	bool blank;          /* a blank line came after the block */
	bool any;            /* something of this text was laid out */
};

void markdown_init(struct markdown *m, const struct style *style);
void markdown_done(struct markdown *m);
/** Process a piece of the text. Complete blocks are formatted and appended to `out`. */
void markdown_feed(struct markdown *m, struct strbuf *out, const char *text, size_t len);
/** End of the text: append the rest, and reset for the next text. */
void markdown_end(struct markdown *m, struct strbuf *out);
/** Where a text was cut: after markdown_end, the rest of it can be fed as what it is. */
struct markdown_cut {
	size_t fence;
	char mark;
};

struct markdown_cut markdown_cut(const struct markdown *m);
void markdown_continue(struct markdown *m, struct markdown_cut cut);
/** Forget the word that the text so far ends in, which may be cut. */
void markdown_drop_word(struct markdown *m);
/** Discard text that is not laid out yet. */
void markdown_drop(struct markdown *m);

#endif
