/* SPDX-License-Identifier: MIT
 *
 * term.h - the terminal itself: what it can, its size, its mode. Whatever
 * happens to the program, it is left as it was found. */
#ifndef TERMINAL_TERM_H
#define TERMINAL_TERM_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

struct term {
	bool plain;    /* lines in, lines out: no cursor is ever moved */
	bool colour;
	size_t columns, rows;
	bool raw;      /* keys come one by one */
};

/** Find out what it can. `plain`: the user wants it so. */
void term_init(struct term *t, bool plain);
/** Keys one by one from now on, unless it is plain. Restored at exit, and if
 *  the program is ended by a signal. */
int term_raw(struct term *t, struct error *err);
/** As it was found. Twice is fine. */
void term_restore(struct term *t);
/** Ask for its size. @return true if it has changed. */
bool term_measure(struct term *t);
void term_write(const char *bytes, size_t len);

#endif
