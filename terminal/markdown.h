/* SPDX-License-Identifier: MIT
 *
 * markdown.h - streamed Markdown: a block is shown as it arrives, and formatted when it
 * is complete. */
#ifndef TERMINAL_MARKDOWN_H
#define TERMINAL_MARKDOWN_H

#include "style.h"
#include "text.h"

enum { MARKDOWN_BLOCK_MAX = 64 << 10 };

struct markdown {
	const struct style *style;
	struct cleaner cleaner;
	struct strbuf line;  /* the incomplete line */
	struct strbuf block; /* complete lines of the incomplete block */
	size_t fence;        /* length of the fence that opened the code; 0: none */
	char mark;           /* character of the fence */
	bool blank;          /* a blank line followed the block */
	bool any;            /* a part of this text was formatted */
};

void markdown_init(struct markdown *m, const struct style *style);
void markdown_done(struct markdown *m);
/** Process a piece of the text. Complete blocks are formatted and appended to `out`. */
void markdown_feed(struct markdown *m, struct strbuf *out, const char *text, size_t len);
/** End of the text: append the rest, and reset for the next text. */
void markdown_end(struct markdown *m, struct strbuf *out);
/** State of an interrupted text: after markdown_end, markdown_continue restores it for the
 *  rest of the text. */
struct markdown_cut {
	size_t fence;
	char mark;
};

struct markdown_cut markdown_cut(const struct markdown *m);
void markdown_continue(struct markdown *m, struct markdown_cut cut);
/** Discard the last word of the text so far, which may be incomplete. */
void markdown_drop_word(struct markdown *m);
/** Discard text that was not formatted yet. */
void markdown_drop(struct markdown *m);

#endif
