/* SPDX-License-Identifier: MIT
 *
 * prompt.h - texts of terminals: what was typed taken off the front of what
 * came back, and prompts that carry a JSON block between two marks. */
#ifndef BASH_PROMPT_H
#define BASH_PROMPT_H

#include "strbuf.h"
#include <stdbool.h>

#define PROMPT_BEGIN "###PS1JSON###"
#define PROMPT_END "###PS1END###"

/** Take the echo of `command` off the front of `*text`, with white space before
 *  and after it: both values move. White space goes also where there is no echo. */
void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len);

/** The first prompt block at or after `from`: a line that starts with
 *  PROMPT_BEGIN, up to the next PROMPT_END, valid JSON in between.
 *  @return false if there is none. */
bool prompt_find(const char *text, size_t len, size_t from, size_t *ret_start,
		 size_t *ret_end);
/** Append what stands between and after the prompts of a screen; with one
 *  prompt only, what stands after it or, if `before`, before it. */
int prompt_outputs(const char *text, size_t len, bool before, struct strbuf *out);

#endif
