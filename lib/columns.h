/* SPDX-License-Identifier: MIT
 *
 * columns.h - cells of printed lists: text measured in terminal columns, not in bytes
 * or characters. */
#ifndef LIB_COLUMNS_H
#define LIB_COLUMNS_H

#include "strbuf.h"

/** Columns of a text on one line: wide characters take two, combining ones none. */
size_t columns_count(const char *text, size_t len);
/** Length of the longest prefix that is at most `columns` wide. */
size_t columns_fit(const char *text, size_t len, size_t columns);
/** Append a cell: invalid bytes become U+FFFD, control characters and newlines become
 *  spaces. It is cut to `max` columns, and padded with spaces to `width`. */
int columns_put(struct strbuf *b, const char *text, size_t len, size_t width, size_t max);

#endif
