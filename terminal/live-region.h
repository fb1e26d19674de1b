/* SPDX-License-Identifier: MIT
 *
 * live-region.h - the rows at the bottom that change: streamed text, running commands,
 * the prompt. Everything above them is scrollback, which is never redrawn.
 *
 * The area stores the rows that it has drawn and writes only differences. */
#ifndef TERMINAL_LIVE_REGION_H
#define TERMINAL_LIVE_REGION_H

#include "strbuf.h"
#include <stdbool.h>

enum { AREA_ROWS_MAX = 128, AREA_ROW_BYTES = 8192 };

struct rows {
	char *text[AREA_ROWS_MAX]; /* owned */
	size_t count;
	size_t row, column; /* position of the cursor */
};

struct live_region {
	struct rows drawn; /* on the screen */
	struct rows next;  /* to be drawn */
	size_t columns;    /* of the terminal */
};

void live_region_init(struct live_region *a, size_t columns);
void live_region_done(struct live_region *a);

/** Start composing the next content. */
void live_region_begin(struct live_region *a);
/** Add a row, truncated to one column less than the width of the screen. */
void live_region_add(struct live_region *a, const char *text, size_t len);
/** Set the position of the cursor in the next content; its row may be added later. */
void live_region_cursor(struct live_region *a, size_t row, size_t column);
size_t live_region_count(const struct live_region *a);
/** Drop rows at the top of the next content until at most this many are left: the
 *  area must not be higher than the screen. */
void live_region_trim(struct live_region *a, size_t most);

/** Append to `out` the output that changes the screen from the last content to the next,
 *  with `above` (whole lines, may be empty) added to the scrollback. Nothing is
 *  appended if nothing differs. */
void live_region_draw(struct live_region *a, struct strbuf *out, const char *above,
		      size_t len);
/** Handle a change of the terminal's width, which rewrapped the lines. */
void live_region_resize(struct live_region *a, struct strbuf *out, size_t columns);
/** Erase the area; the cursor moves to its start. */
void live_region_erase(struct live_region *a, struct strbuf *out);

#endif
