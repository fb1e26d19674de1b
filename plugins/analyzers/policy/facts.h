/* SPDX-License-Identifier: MIT
 *
 * facts.h - the names in one command of an action, or in an action without commands:
 * spellings, paths and hosts. Rules and tables match these. */
#ifndef POLICY_FACTS_H
#define POLICY_FACTS_H

#include "units.h"

enum { FACTS_WORDS_MAX = 1000, FACTS_PATHS_MAX = 4096 };

struct path {
	char *lexical;  /* clean and absolute; a shape if unknown */
	char *resolved; /* with symbolic links resolved; NULL if unknown */
	const struct shell_word
		*word; /* word with the path; NULL: redirection or argument */
	char redirect; /* '<', '>' or 'a' (appends), else 0 */
	bool found;    /* a file that a pattern currently matches */
};

struct facts {
	const struct unit *unit; /* NULL: no command */
	char *lines[3]; /* the command as it stands, in plain words, from its subcommand
			   on */
	size_t line_count;
	struct path *paths;
	size_t path_count;
	char **hosts; /* lower case */
	size_t host_count;
	bool undecided; /* more than was analyzed */
	bool dynamic;   /* a word is known only at run time */
};

int facts_of_unit(struct place *place, const struct unit *u, struct facts *ret);
/** For an action without commands: add the path, or the hosts, that an argument names. */
int facts_add_path(struct facts *f, struct place *place, const char *path);
int facts_add_hosts(struct facts *f, const char *text);
int facts_add_line(struct facts *f, const char *text);
/** The path relative to the workspace; NULL if it is outside. */
const char *facts_relative(const struct place *place, const char *path);
void facts_clear(struct facts *f);

#endif
