/* SPDX-License-Identifier: MIT
 *
 * prompt.h - removes the echo of a command from the text of a terminal. */
#ifndef BASH_PROMPT_H
#define BASH_PROMPT_H

#include <stddef.h>

/** Take the echo of `command` off the front of `*text`, with white space before
 *  and after it: both values move. White space goes also where there is no echo. */
void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len);

#endif
