/* SPDX-License-Identifier: MIT
 *
 * units.h - the commands that a shell text would run, one by one, including those in
 * scripts passed to a shell and after wrappers such as sudo, each with the directories
 * in which it may run. Nothing is run. */
#ifndef POLICY_UNITS_H
#define POLICY_UNITS_H

#include "place.h"
#include "shell.h"

enum { DIRS_MAX = 8, INNER_MAX = 64 };

struct unit {
	const struct shell_command *command;
	const struct shell_word *words; /* the program first; NULL if count is 0 */
	size_t count;
	const char *name; /* base name of the program; NULL if it is not known */
	size_t sub;       /* index of the subcommand among the words; 0: none */
	bool inner;       /* a wrapper runs it */
	bool more;        /* the program that runs it adds unknown arguments */
	bool unsettled;   /* files may have changed their places since the text began */
	bool settled;     /* the callback sets it: paths lead where they led before */
	bool runs_itself; /* a function that starts itself in a pipe */
	const char *const *dirs;
	size_t dir_count; /* 0: it is not known where it runs */
};

typedef int unit_each_fn(void *arg, struct unit *u);

/** @return MT_OK, MT_ENOMEM, or what `each` returned. `*ret_deep`: something was nested
 *  too deeply, or had too many parts, to be looked at whole. */
int units_each(struct place *place, const char *text, size_t len, unit_each_fn *each,
	       void *arg, bool *ret_deep);

/** Append the words as one line, the program by its base name, words that are not known
 *  as their shapes. From the subcommand on only, when `short_form` is set. */
int unit_line(const struct unit *u, bool short_form, struct strbuf *out);
/** Does an option stand among its words: "-f" (in a cluster of letters too), "--force"
 *  (with or without a value)? Not behind "--". */
bool unit_has(const struct unit *u, const char *option);
/** The n-th operand after `from`; NULL if there are fewer. */
const struct shell_word *unit_operand(const struct unit *u, size_t from, size_t n);
/** The text of the n-th word; "" if there is none or it is not known. */
const char *unit_text(const struct unit *u, size_t n);
/** Does the word stand in the list, which is separated by blanks? */
bool unit_lists_word(const char *list, const char *word);
/** The script of a shell's -c, or NULL. */
const struct shell_word *unit_script(const struct shell_word *words, size_t count);

#endif
