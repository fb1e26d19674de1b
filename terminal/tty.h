/* SPDX-License-Identifier: MIT
 *
 * tty.h - the terminal: its capabilities, size and mode. It is restored on exit,
 * whatever happens to the program. */
#ifndef TERMINAL_TTY_H
#define TERMINAL_TTY_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

struct tty {
	bool plain;    /* lines in, lines out: no cursor is ever moved */
	bool color;
	size_t columns, rows;
	bool raw;      /* keys come one by one */
};

/** Detect the capabilities. `plain`: requested by the user. */
void tty_init(struct tty *t, bool plain);
/** Keys one by one from now on, unless it is plain. Restored at exit, and if
 *  the program is ended by a signal. */
int tty_raw(struct tty *t, struct error *err);
/** Restore the original modes. May be called again. */
void tty_restore(struct tty *t);
/** Query the size. @return true if it has changed. */
bool tty_measure(struct tty *t);
void tty_write(const char *bytes, size_t len);

#endif
