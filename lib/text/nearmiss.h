/* SPDX-License-Identifier: MIT
 *
 * nearmiss.h - explains why a text was not found, using similar text in the file. */
#ifndef LIB_TEXT_NEARMISS_H
#define LIB_TEXT_NEARMISS_H

#include "strbuf.h"

/** Append a newline and a hint to the message that `wanted` was not found; nothing if no
 *  text is similar. The work is bounded. */
void nearmiss_explain(struct mt_str text, struct mt_str wanted, struct strbuf *out);

#endif
