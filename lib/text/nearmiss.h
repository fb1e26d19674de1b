/* SPDX-License-Identifier: MIT
 *
 * nearmiss.h - explains why a text was not found by similar text in the file. */
#ifndef LIB_TEXT_NEARMISS_H
#define LIB_TEXT_NEARMISS_H

#include "strbuf.h"

/** Append a line break and a hint to the message that `wanted` is not in a text;
 *  nothing if nothing comes close. The work is bounded. */
void nearmiss_explain(struct mt_str text, struct mt_str wanted, struct strbuf *out);

#endif
