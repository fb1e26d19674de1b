/* SPDX-License-Identifier: MIT
 *
 * diff.h - formats the difference between two texts as a unified diff. */
#ifndef LIB_TEXT_DIFF_H
#define LIB_TEXT_DIFF_H

#include "strbuf.h"

/** Append a unified diff with three lines of context; nothing if the texts are equal. The
 *  work is bounded: if two ranges differ in too many lines, the diff replaces the whole
 *  range.
 *  @param from, to names for the two header lines, on which control characters become
 *  `?`.
 *  @return MT_OK, MT_ELIMIT if the differing range is longer than 4 MiB, or the error of
 *  `out`. */
int diff_unified(struct mt_str old, struct mt_str new_, const char *from, const char *to,
		 struct strbuf *out);

#endif
