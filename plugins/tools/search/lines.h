/* SPDX-License-Identifier: MIT
 *
 * lines.h - prints the matching lines of a file, with context lines. */
#ifndef SEARCH_LINES_H
#define SEARCH_LINES_H

#include "search.h"

struct lines_page {
	size_t context; /* lines to show before and after each match */
	size_t skip;    /* matches to skip */
	size_t most;    /* matches to show */
	size_t shown, total; /* results; total: all matches of the file */
};

/** Append the matching lines of a file: "  12: text", "  13- text" for context lines. A
 *  file that cannot be read has no matches. */
void lines_put(const struct search *s, const struct found_file *f, struct matcher *m,
	       struct lines_page *p, struct strbuf *out);

#endif
