/* SPDX-License-Identifier: MIT
 *
 * diff.h - the difference between two texts as a unified diff. */
#ifndef EDITOR_DIFF_H
#define EDITOR_DIFF_H

#include "strbuf.h"

/** Append a unified diff with three lines of context; nothing if the texts are
 *  equal. The work is bounded: where two stretches differ in too many lines,
 *  one is replaced by the other as a whole.
 *  @param from, to names for the two header lines, on which control
 *         characters become `?`.
 *  @return MT_OK, MT_ELIMIT if the stretch that differs is longer than 4 MiB,
 *          or the error of `out`. */
int diff_unified(struct mt_str old, struct mt_str new_, const char *from, const char *to,
		 struct strbuf *out);

#endif
