/* SPDX-License-Identifier: MIT
 *
 * literal.h - Python literals: parsing, and repr(). */
#ifndef LIB_LITERAL_H
#define LIB_LITERAL_H

#include "error.h"
#include "js.h"

enum { LITERAL_DEPTH = 16, LITERAL_ITEMS = 1000 };

/** The position of a reader in a text. */
struct cursor {
	const char *text, *at, *end;
};

/** Step over white space and comments (# to the end of the line). */
void cursor_blanks(struct cursor *c);
bool cursor_takes(struct cursor *c, char wanted);
/** Length of an identifier here, 0 if there is none. */
size_t cursor_name(const struct cursor *c);

/** Read a literal: string (single, double or triple quotes, r and u before it),
 *  number, True, False, None, list, tuple (an array), dict with text keys.
 *  `*ret` is NULL for None. @return MT_OK, MT_EINVAL, MT_ELIMIT or MT_ENOMEM. */
int literal_read(struct cursor *c, json_object **ret, struct error *err);

/** Append a value in the form of Python's repr(). */
int literal_put(struct strbuf *out, json_object *value);
/** Append repr() of a text. */
int literal_put_text(struct strbuf *out, const char *text, size_t len);

#endif
