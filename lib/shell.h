/* SPDX-License-Identifier: MIT
 *
 * shell.h - the simple commands of a shell text, without running anything.
 *
 * Finds them everywhere: in lists, pipelines, groups, subshells, substitutions (also in
 * quotes), conditions of loops, and bodies of functions. It accepts invalid grammar rather
 * than miss a command. */
#ifndef LIB_SHELL_H
#define LIB_SHELL_H

#include "strbuf.h"
#include <stdbool.h>

/** In `shape`: any text, and any one character. */
enum { SHELL_ANY = '\1', SHELL_ONE = '\2' };

struct shell_word {
	char *text;     /* its value without quotes; NULL: known only at run time */
	char *shape;    /* NULL if the value is exactly `text`; else the value with SHELL_ANY
	                   and SHELL_ONE for what expansions and patterns may become */
	bool pattern;   /* contains unquoted * ? [ or braces: may expand to several words */
	bool encoded;   /* a part of it is written as $'...' */
	char redirect;  /* of a redirection: '<' reads, '>' writes, 'a' appends; otherwise 0 */
};

struct shell_command {
	const char *raw;           /* verbatim, NUL-terminated */
	const struct shell_word *words; /* the name first, without assignments */
	size_t count;
	const struct shell_word *assignments; /* NAME=VALUE before the name */
	size_t assignment_count;
	const struct shell_word *redirects; /* targets of < > >> and so on */
	size_t redirect_count;
	bool writes;               /* one of them is written to */
	bool substitutes;          /* contains $( ) or similar: those commands are reported too */
	bool broken;               /* the text ends inside of it */
	bool evaluates;            /* it, or a command before it, contains an expansion
	                              that may assign a variable or run a value as code:
	                              ${x@P}, ${!x}, $[x] */
	bool piped;                /* reads the output of the previous command */
	bool defines;              /* is the name of a function that is being defined */
	const char *input;         /* here-document or here-string, or NULL */
};

/** The value of a variable, or of `~` (as HOME), if it is known before the text runs.
 *  @return the value, borrowed, or NULL: unknown. */
typedef const char *shell_variable_fn(void *arg, const char *name);

enum { SHELL_DEPTH_MAX = 64 };

/** Called for each command, inner ones first. Anything but 0 ends the walk. */
typedef int shell_each_fn(void *arg, const struct shell_command *command);

/** @return MT_OK, MT_ELIMIT if it is nested too deeply, MT_ENOMEM, or the result of
 *  `each`. */
int shell_walk(const char *text, size_t len, shell_each_fn *each, void *arg);
/** The same, with known variables replaced by their values. */
int shell_walk_with(const char *text, size_t len, shell_each_fn *each,
		    shell_variable_fn *variable, void *arg);

/** Append 'text', quoted as one word. @return the error of `out`. */
int shell_quote(struct strbuf *out, const char *text);

#endif
