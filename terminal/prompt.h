/* SPDX-License-Identifier: MIT
 *
 * prompt.h - the input line, laid out in rows of the live region. */
#ifndef TERMINAL_PROMPT_H
#define TERMINAL_PROMPT_H

#include "live-region.h"
#include "line-editor.h"

/** Add the rows of the line after `lead`, at most `most` rows around the cursor, and set
 *  the cursor. Further rows are indented by the width of `lead`. */
void prompt_add(struct live_region *a, const char *lead, const struct line_editor *l,
		size_t most);

#endif
