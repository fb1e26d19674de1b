/* SPDX-License-Identifier: MIT
 *
 * units.h - the commands that a shell text would run, one by one, including those in
 * scripts passed to a shell and after wrappers such as sudo, each with the directories in
 * which it may run. Does not run anything. */
#ifndef POLICY_UNITS_H
#define POLICY_UNITS_H

#include "place.h"
#include "shell.h"

enum { DIRS_MAX = 8, INNER_MAX = 64 };

struct unit {
	const struct shell_command *command;
	const struct shell_word *words; /* program first; NULL if count is 0 */
	size_t count;
	const char *name; /* base name of the program; NULL if unknown */
	size_t sub;       /* index of the subcommand among the words; 0: none */
	bool inner;       /* a wrapper runs it */
	bool more;        /* the program that runs it adds unknown arguments */
	bool unsettled;   /* files may have moved since the text started */
	bool settled;     /* set by the callback: paths still lead to the same files */
	bool runs_itself; /* a function that pipes into itself */
	const char *const *dirs;
	size_t dir_count; /* 0: the directory is unknown */
};

typedef int unit_each_fn(void *arg, struct unit *u);

/** @return MT_OK, MT_ENOMEM, or what `each` returned. `*ret_deep`: part of the text was
 *  nested too deeply or had too many parts to be analyzed. */
int units_each(struct place *place, const char *text, size_t len, unit_each_fn *each,
	       void *arg, bool *ret_deep);

/** Append the words as one line, the program by its base name, unknown words as shapes.
 *  With `short_form`, omit the words between the program and the subcommand. */
int unit_line(const struct unit *u, bool short_form, struct strbuf *out);
/** Does the command have an option: "-f" (in a cluster of letters too), "--force" (with
 *  or without a value)? Words after "--" do not count. */
bool unit_has(const struct unit *u, const char *option);
/** The n-th operand after `from`; NULL if there are fewer. */
const struct shell_word *unit_operand(const struct unit *u, size_t from, size_t n);
/** The text of the n-th word; "" if missing or unknown. */
const char *unit_text(const struct unit *u, size_t n);
/** Is the word in the list, which is separated by spaces? */
bool unit_lists_word(const char *list, const char *word);
/** The script of a shell's -c, or NULL. */
const struct shell_word *unit_script(const struct shell_word *words, size_t count);

#endif
