/* SPDX-License-Identifier: MIT
 *
 * command.h - facts about programs in a shell text: which ones run other programs, and
 * the position of their subcommand. */
#ifndef LIB_COMMAND_H
#define LIB_COMMAND_H

#include "shell.h"

/** The name of a program without its directory. */
const char *command_base(const char *path);
/** True if this program (by its base name) runs the command in its arguments: `sudo`,
 *  `env`, `xargs`, `timeout`, `find`. */
bool command_wraps(const char *name);
/** True if it runs code from an argument, a file, or its input: `sh`, `python3`, `eval`,
 *  `source`, `awk`, `vim`. */
bool command_interprets(const char *name);
/** True for a shell whose -c takes a script. */
bool command_is_shell(const char *name);

/** Index of the subcommand: 3 for `git -C x push`. Options before it are skipped, with
 *  their values. @return 0 if the program has no subcommands, none is given, or an
 *  unknown option precedes it. */
size_t command_subcommand(const struct shell_word *words, size_t count);

#endif
