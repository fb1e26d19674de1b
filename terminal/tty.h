/* SPDX-License-Identifier: MIT
 *
 * tty.h - the terminal: its capabilities, size and mode. The mode is restored on exit,
 * also after a signal. */
#ifndef TERMINAL_TTY_H
#define TERMINAL_TTY_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

struct tty {
	bool plain;    /* reads and writes lines, and never moves the cursor */
	bool color;
	size_t columns, rows;
	bool raw;      /* each key is read immediately */
};

/** Detect the capabilities. `plain`: requested by the user. */
void tty_init(struct tty *t, bool plain);
/** Set raw mode, unless the terminal is plain. The modes are restored at exit, also by a
 *  signal. */
int tty_raw(struct tty *t, struct error *err);
/** Restore the original modes. May be called again. */
void tty_restore(struct tty *t);
/** Query the size. @return true if it has changed. */
bool tty_measure(struct tty *t);
void tty_write(const char *bytes, size_t len);

#endif
