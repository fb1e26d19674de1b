/* SPDX-License-Identifier: MIT
 *
 * table.h - Markdown tables that are wider than the screen. */
#ifndef TERMINAL_TABLE_H
#define TERMINAL_TABLE_H

#include "style.h"

/** Length in bytes of the table at the start of the text: a row, a row of dashes, and
 *  more rows. 0: none. */
size_t table_len(const char *text, size_t len);
/** If the table is wider than the screen, append it with cells wrapped between words.
 *  @return false if it is not, or has too many columns. */
bool table_wrap(struct strbuf *out, const struct style *s, const char *text, size_t len);

#endif
