/* SPDX-License-Identifier: MIT
 *
 * shell-internal.h - shared by shell.c and shell-words.c: a position in a shell text, and
 * the words that are read from it. */
#ifndef LIB_SHELL_INTERNAL_H
#define LIB_SHELL_INTERNAL_H

#include "shell.h"
#include "strbuf.h"

enum { WORD_BYTES_MAX = 4 << 20 };

/* A position in a shell text and the state before it. */
struct shell_reader {
	const char *p, *end;
	unsigned depth;
	bool broken;               /* the text ends inside a construct */
	bool evaluates;            /* an expansion did more than insert a value */
	const char *here_at, *here_to; /* the newline after which bodies are skipped */
	bool piped;                /* the next command reads from a pipe */
	shell_each_fn *each;
	shell_variable_fn *variable;
	void *arg;
};

/* The value of a word while it is read. */
struct shell_value {
	struct strbuf text;        /* the value; SHELL_ANY where it is not known */
	bool dynamic, pattern, any, substitutes;
	bool encoded;              /* holds $'...' */
	bool odd;                  /* the text itself has one of those two bytes */
};

static inline bool shell_at_end(const struct shell_reader *w)
{
	return w->p >= w->end;
}

static inline char shell_peek(const struct shell_reader *w, size_t n)
{
	return (size_t)(w->end - w->p) > n ? w->p[n] : '\0';
}

/** Read `...` or an expansion that starts with $, and append the value. */
int shell_backticks(struct shell_reader *w, struct shell_value *word);
int shell_dollar(struct shell_reader *w, struct shell_value *word, bool quoted);
/** Read a word and advance past it. */
int shell_read_word(struct shell_reader *w, struct shell_value *word);

/** Walk the commands up to `closer` (shell.c). */
int shell_walk_list(struct shell_reader *w, char closer);

#endif
