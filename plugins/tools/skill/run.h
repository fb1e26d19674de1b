/* SPDX-License-Identifier: MIT
 *
 * run.h - runs a command of a skill: in a separate shell, without input, with a time
 * limit. */
#ifndef PLUGINS_SKILL_RUN_H
#define PLUGINS_SKILL_RUN_H

#include "inline.h"

struct command_place {
	const char *directory;  /* working directory */
	int cancel_fd;       /* readable: terminate it; -1: none */
};

/** An inline_run whose argument is a struct command_place. */
int run_command(const char *command, void *arg, struct inline_result *ret);

#endif
