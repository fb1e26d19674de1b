/* SPDX-License-Identifier: MIT
 *
 * table.h - Markdown tables that are wider than the screen. */
#ifndef TERMINAL_TABLE_H
#define TERMINAL_TABLE_H

#include "style.h"

/** Bytes of the table at the start of the text: a row, a row of dashes, and more
 *  rows. 0: none begins here. */
size_t table_len(const char *text, size_t len);
/** Append the table, its cells wrapped between words, if it is wider than the screen
 *  as it stands. @return false: it is not, or it has too many columns. */
bool table_wrap(struct strbuf *out, const struct style *s, const char *text, size_t len);

#endif
