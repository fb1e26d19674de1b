/* SPDX-License-Identifier: MIT
 *
 * key-command.h - reads the API key of a model from a command, for example a password
 * manager. */
#ifndef LIB_CONFIG_KEY_COMMAND_H
#define LIB_CONFIG_KEY_COMMAND_H

#include "error.h"

/** Run `command` with /bin/sh, once per process, and return the first line of its output;
 *  owned. NULL: it failed, printed nothing, or timed out. The error names the section,
 *  never the output. */
char *key_from_command(const char *command, const char *section, struct error *err);
/** Kill the command that runs, if one does, before this process ends. For signal handlers. */
void key_command_kill(void);

#endif
