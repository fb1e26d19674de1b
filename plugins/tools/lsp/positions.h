/* SPDX-License-Identifier: MIT
 *
 * positions.h - positions in text as language servers count them, symbols in lines, and
 * file URIs. */
#ifndef LSP_POSITIONS_H
#define LSP_POSITIONS_H

#include "strbuf.h"
#include <stdint.h>

/* Unit in which a server counts columns. */
enum encoding { ENCODING_UTF16, ENCODING_UTF8, ENCODING_UTF32 };

/** The encoding of a name in the protocol; UTF-16 for unknown names. */
enum encoding lsp_encoding_of(const char *name);

/** Line `n` (from 0), without its newline; NULL past the end. The empty line after a
 *  final newline exists. */
const char *lsp_text_line(const char *text, size_t len, size_t n, size_t *ret_len);
/** Number of units in the first `at` bytes. */
size_t lsp_column_of(const char *line, size_t at, enum encoding encoding);
/** Offset of a column; `len` if the line is shorter. */
size_t lsp_column_offset(const char *line, size_t len, size_t column,
			 enum encoding encoding);

/** Offset of the symbol in the line, as a whole word; of `a.b` and `a::b` the offset of
 *  the last name. @return SIZE_MAX if the line does not contain it. */
size_t lsp_symbol_in(const char *line, size_t len, const char *symbol);

/** Append the URI of an absolute path. */
int lsp_uri_put(struct strbuf *out, const char *path);
/** The absolute path of a file URI, owned; NULL if it is not a file URI (or out of
 *  memory). */
char *lsp_uri_path(const char *uri);

#endif
