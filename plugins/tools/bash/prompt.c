/* SPDX-License-Identifier: MIT
 *
 * prompt.c - removes the echo of a command from the text of a terminal. */
#include "prompt.h"
#include "space.h"
#include <string.h>

void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len)
{
	space_trim_start(&command, &command_len);
	space_trim_start(text, len);
	if (command_len && command_len <= *len && !memcmp(*text, command, command_len)) {
		*text += command_len;
		*len -= command_len;
	}
	space_trim_start(text, len);
}
