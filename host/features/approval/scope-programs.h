/* SPDX-License-Identifier: MIT
 *
 * scope-programs.h - the programs that a scope may name, with their subcommands and
 * options. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_PROGRAMS_H
#define HOST_FEATURES_APPROVAL_SCOPE_PROGRAMS_H

#include "command.h"

/** How approvals treat a simple command. */
enum program_scope {
	PROGRAM_EXACT,   /* only this exact command can be approved */
	PROGRAM_FREE,    /* it only prints, or filters its input: needs no approval */
	PROGRAM_UNKNOWN, /* a scope can name the program */
	PROGRAM_KNOWN,   /* the same, and the scope is offered by default */
};

/** Classify a simple command whose words[0] is static. *ret_sub: its subcommand,
 *  borrowed from the words; "" if it has none. Its redirections are not examined. */
enum program_scope program_scope_of(const struct shell_command *c, const char **ret_sub);

#endif
