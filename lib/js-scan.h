/* SPDX-License-Identifier: MIT
 *
 * js-scan.h - checks whether a text is one JSON value according to RFC 8259. Used by
 * js.c only. */
#ifndef LIB_JS_SCAN_H
#define LIB_JS_SCAN_H

#include "error.h"

/** Check the tokens of a text, its depth (JS_DEPTH) and size, and that member names do
 *  not contain NUL. The order of the tokens is left to the parser. */
int js_scan(const char *text, size_t len, struct error *err);

#endif
