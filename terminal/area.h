/* SPDX-License-Identifier: MIT
 *
 * area.h - the rows at the bottom that change: what streams, what runs, the
 * prompt. Everything above them is scrollback, which is never touched again.
 *
 * The area remembers what it has drawn and writes only what differs. */
#ifndef TERMINAL_AREA_H
#define TERMINAL_AREA_H

#include "strbuf.h"
#include <stdbool.h>

enum { AREA_ROWS_MAX = 128, AREA_ROW_BYTES = 8192 };

struct rows {
	char *text[AREA_ROWS_MAX]; /* owned */
	size_t count;
	size_t row, column; /* where the cursor goes */
};

struct area {
	struct rows drawn; /* on the screen */
	struct rows next;  /* to be drawn */
	size_t columns;    /* of the terminal */
};

void area_init(struct area *a, size_t columns);
void area_done(struct area *a);

/** Begin the next picture. */
void area_begin(struct area *a);
/** Add a row; what does not fit into the columns but one is left out. */
void area_add(struct area *a, const char *text, size_t len);
/** The cursor goes to the row that is added next, or to that one. */
void area_cursor(struct area *a, size_t row, size_t column);
size_t area_count(const struct area *a);
/** Leave out the uppermost rows of the next picture until at most so many are
 *  left: an area must not be higher than the screen. */
void area_trim(struct area *a, size_t most);

/** Append to `out` what turns the screen from the last picture to the next one,
 *  with `above` (whole lines, may be empty) added to the scrollback. Nothing is
 *  appended if nothing differs. */
void area_draw(struct area *a, struct strbuf *out, const char *above, size_t len);
/** The terminal has got another width, and has laid its lines out anew. */
void area_resize(struct area *a, struct strbuf *out, size_t columns);
/** Take the area off the screen, the cursor stands where it began. */
void area_erase(struct area *a, struct strbuf *out);

#endif
