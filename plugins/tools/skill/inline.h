/* SPDX-License-Identifier: MIT
 *
 * inline.h - replaces commands in the text of a skill by their output, and variables by
 * their values. */
#ifndef PLUGINS_SKILL_INLINE_H
#define PLUGINS_SKILL_INLINE_H

#include "strbuf.h"
#include <stdbool.h>

enum { INLINE_OUTPUT_MAX = 50 << 10, INLINE_SECONDS = 10 };

/** The output and errors of a command, each at most INLINE_OUTPUT_MAX bytes. */
struct inline_result {
	struct strbuf out, err;
	int exit_code;
	bool timed_out;
};
/** Run one command. @return MT_OK, or a status if it could not be run. */
typedef int inline_run(const char *command, void *arg, struct inline_result *ret);

/** Replace each !`command` by its output. Text in backticks or fences is not changed, and
 *  neither is \!`command`, which loses its backslash. */
int inline_commands(const char *text, size_t len, inline_run *run, void *arg,
		    struct strbuf *out);

/** Value of a variable, borrowed until the next call; NULL: unknown. */
typedef const char *variable_value(const char *name, size_t len, void *arg);

/** Replace ${NAME} and ${NAME:-default}, and with `unbraced` also $NAME, by values.
 *  Unknown names are not changed. */
int skill_expand_variables(const char *text, size_t len, bool unbraced,
			   variable_value *value, void *arg, struct strbuf *out);

#endif
