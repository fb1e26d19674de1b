/* SPDX-License-Identifier: MIT
 *
 * scope-commands.h - the simple commands of a shell text, if scopes wider than the
 * exact text are possible. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_COMMANDS_H
#define HOST_FEATURES_APPROVAL_SCOPE_COMMANDS_H

#include "features/approval/scope-paths.h"

#include <stddef.h>

enum { COMMANDS_MAX = 12 };

/** A simple command that an approval must name. */
struct command_part {
	char *program;   /* its name, or the resolved path of its file */
	char *sub;       /* its subcommand; "": none */
	bool known;      /* a scope of this program is offered by default */
};

struct command_parts {
	struct command_part list[COMMANDS_MAX];
	size_t count;    /* 0: only the exact text can be approved */
};

/** Split a text into its commands. If no scope can name one of them, only the exact
 *  text can be approved: a command that is redirected to a file, sets variables, runs
 *  code that its words contain, ... */
int command_parts_read(const char *text, const struct scope_place *place,
		       struct command_parts *ret);
void command_parts_clear(struct command_parts *parts);

#endif
