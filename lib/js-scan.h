/* SPDX-License-Identifier: MIT
 *
 * js-scan.h - checks whether a text is one JSON value according to RFC 8259,
 * for the readers of JSON in lib. */
#ifndef LIB_JS_SCAN_H
#define LIB_JS_SCAN_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

enum { JS_DEPTH = 64 }; /* deepest nesting that is read */

/** Check the tokens of a text, its depth (JS_DEPTH) and size, and that member names do
 *  not contain NUL. The order of the tokens is left to the parser. */
int js_scan(const char *text, size_t len, struct error *err);

/** True if an integer, given as its digits with an optional minus sign, fits into
 *  64 bits; a larger one is refused, not clamped. */
bool js_fits(const char *start, const char *end);

#endif
