/* SPDX-License-Identifier: MIT
 *
 * scope-programs.h - the programs that a scope may name, with their subcommands and
 * options. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_PROGRAMS_H
#define HOST_FEATURES_APPROVAL_SCOPE_PROGRAMS_H

#include "command.h"

/** What a simple command is to an approval. */
enum program_scope {
	PROGRAM_EXACT,   /* only this very command can be approved */
	PROGRAM_FREE,    /* it prints or passes on what it reads: needs no approval */
	PROGRAM_UNKNOWN, /* a scope may name the program */
	PROGRAM_KNOWN,   /* the same, and it is offered by default */
};

/** Judge a simple command whose words[0] is static. *ret_sub: its subcommand, borrowed
 *  from the words; "" if it has none. Files it is redirected to are not looked at. */
enum program_scope program_scope_of(const struct shell_command *c, const char **ret_sub);

#endif
