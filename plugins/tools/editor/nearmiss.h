/* SPDX-License-Identifier: MIT
 *
 * nearmiss.h - explains why a text was not found by similar text in the file. */
#ifndef EDITOR_NEARMISS_H
#define EDITOR_NEARMISS_H

#include "text/textfile.h"

/** Append a line break and a hint to the message that `wanted` is not in the
 *  file; nothing if nothing comes close. The work is bounded. */
void explain_miss(const struct textfile *f, struct mt_str wanted, struct strbuf *out);

#endif
