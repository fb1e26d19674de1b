/* SPDX-License-Identifier: MIT
 *
 * normalize.h - text as a reader would see it, without hidden characters. */
#ifndef POLICY_NORMALIZE_H
#define POLICY_NORMALIZE_H

#include "strbuf.h"
#include <stdbool.h>

/** Append `text` without invisible characters, compatibility forms (full width,
 *  mathematical letters) folded to plain ones (NFKC), and each run of white space as one
 *  space. With `keep_lines`, newlines are kept, as a shell needs them. */
int normalize_text(const char *text, size_t len, bool keep_lines, struct strbuf *out);

#endif
