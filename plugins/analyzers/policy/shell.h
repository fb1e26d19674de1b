/* SPDX-License-Identifier: MIT
 *
 * shell.h - the simple commands of a shell text, without running anything.
 *
 * Finds them wherever they stand: in lists, pipelines, groups, subshells,
 * substitutions (inside quotes too), conditions of loops, bodies of functions.
 * It is made to miss no command, not to be strict about grammar. */
#ifndef POLICY_SHELL_H
#define POLICY_SHELL_H

#include "strbuf.h"
#include <stdbool.h>

struct shell_word {
	char *text;     /* what it says without its quotes; NULL: known at run time only */
	bool pattern;   /* unquoted * ? [ in it */
};

struct shell_command {
	const char *raw;           /* as it stands, NUL-terminated */
	const struct shell_word *words; /* the name first; assignments left out */
	size_t count;
	const struct shell_word *redirects; /* targets of < > >> and so on */
	size_t redirect_count;
	bool writes;               /* one of them is written to */
	bool substitutes;          /* holds $( ) or the like: see those commands too */
	bool broken;               /* the text ends inside of it */
	const char *input;         /* here-document or -string, or NULL */
};

enum { SHELL_DEPTH_MAX = 64 };

/** Called for each command, inner ones first. Anything but 0 ends the walk. */
typedef int shell_each_fn(void *arg, const struct shell_command *command);

/** @return MT_OK, MT_ELIMIT if it is nested too deeply, MT_ENOMEM, or what
 *  `each` returned. */
int shell_walk(const char *text, size_t len, shell_each_fn *each, void *arg);

#endif
