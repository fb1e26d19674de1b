/* SPDX-License-Identifier: MIT
 *
 * effects-shell.h - lists the changes that a command made in its shell, as commands
 * that make the same changes in another shell. */
#ifndef HOST_FEATURES_EFFECTS_SHELL_H
#define HOST_FEATURES_EFFECTS_SHELL_H

#include "error.h"
#include "strbuf.h"

#include <stdbool.h>

/** Compare the states of two shells, as the shell tool stores them in files
 *  (plugins/tools/bash/carry.c). Adds commands for the directory, variables, functions,
 *  aliases and the umask, not for options. `*ret_only_directory`: all that they change is
 *  the directory.
 *  @return MT_ENOTFOUND: a shell has stored nothing. MT_ELIMIT: they do not fit. */
int effects_shell_diff(const char *before, const char *after, struct strbuf *script,
		       bool *ret_only_directory, struct error *err);

#endif
