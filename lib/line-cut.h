/* SPDX-License-Identifier: MIT
 *
 * line-cut.h - shortens output to whole lines, with a sentence where lines are missing. */
#ifndef LIB_LINE_CUT_H
#define LIB_LINE_CUT_H

#include "strbuf.h"
#include <stdbool.h>

/** A text, parts of which may be missing already. */
struct line_cut {
	const char *text; /* valid UTF-8 */
	size_t len;
	size_t gap;       /* offset at which text is missing; counts only if
	                     lost_bytes > 0 */
	size_t lost_bytes, lost_lines;
	size_t chars_max; /* of the result, without its sentences */
	size_t line_max;  /* characters of a line, without its sentence */
	/** Path of the full text, requested once if something is omitted. NULL, or the
	 *  result NULL or "": there is none. */
	const char *(*full)(void *arg);
	void *arg;
};

/** Append the text, or its first and last lines around "[21,430 of 21,960 lines omitted;
 *  full output: PATH]". Longer lines lose their middle. @return MT_OK or MT_ENOMEM;
 *  `*ret_cut`, if not NULL: something is omitted. */
int line_cut(const struct line_cut *c, struct strbuf *out, bool *ret_cut);

#endif
