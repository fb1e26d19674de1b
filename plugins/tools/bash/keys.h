/* SPDX-License-Identifier: MIT
 *
 * keys.h - names of keys: C-c, CTRL+D, UP, ENTER. */
#ifndef BASH_KEYS_H
#define BASH_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/** True for exactly three characters C-x, ignoring surrounding white space. */
bool key_is_special(const char *text, size_t len);
/** The letter of C-x, CTRL-x or CTRL+x in lowercase; 0 if it is not such a key. */
char key_ctrl(const char *text, size_t len);
/** Bytes that a terminal sends for a key named by `text`: a key of the two functions
 *  above or one of ENTER, TAB, BS, ESC, UP, DOWN, LEFT, RIGHT, HOME, END, PGUP, PGDN,
 *  DEL, SPACE. Static; NULL if `text` does not name a key. */
const char *key_bytes(const char *text, size_t len, size_t *ret_len);

#endif
