/* SPDX-License-Identifier: MIT
 *
 * plugins.h - the subcommands of `mortise plugins` in separate files. Each prints its
 * own errors and returns the exit code. */
#ifndef CLI_PLUGINS_H
#define CLI_PLUGINS_H

#include "commands.h"

/** `new KIND NAME [DIR]`: create the directory of a plugin. `lang` NULL: C. */
int plugin_new(struct common *common, const char *lang, int count, char **words);

/** The memory checker to run the tools of a plugin with. */
enum plugin_checker { CHECKER_NONE, CHECKER_VALGRIND, CHECKER_ASAN };
/** `test FILE [CASES]`: call the tools of a plugin as specified by its case file. */
int plugin_test(struct common *common, enum plugin_checker checker, int count,
		char **words);

#endif
