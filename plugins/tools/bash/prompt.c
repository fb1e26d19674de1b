/* SPDX-License-Identifier: MIT
 *
 * prompt.c - removes the echo of a command from the text of a terminal. */
#include "prompt.h"
#include <ctype.h>
#include <string.h>

static void skip_space(const char **text, size_t *len)
{
	while (*len && isspace((unsigned char)**text))
		(*text)++, (*len)--;
}

void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len)
{
	skip_space(&command, &command_len);
	skip_space(text, len);
	if (command_len && command_len <= *len && !memcmp(*text, command, command_len)) {
		*text += command_len;
		*len -= command_len;
	}
	skip_space(text, len);
}
