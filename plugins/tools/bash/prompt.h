/* SPDX-License-Identifier: MIT
 *
 * prompt.h - removes the echo of a command from the text of a terminal. */
#ifndef BASH_PROMPT_H
#define BASH_PROMPT_H

#include <stddef.h>

/** Remove the echo of `command` from the front of `*text`, and the white space around it;
 *  changes both values. Without an echo, remove only white space. */
void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len);

#endif
