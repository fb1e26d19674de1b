/* SPDX-License-Identifier: MIT
 *
 * ignore.h - the files that a search ignores, by .gitignore, .ignore and
 * .git/info/exclude, with git's rules. */
#ifndef LIB_TEXT_IGNORE_H
#define LIB_TEXT_IGNORE_H

#include "strbuf.h"
#include <stdbool.h>

enum {
	IGNORE_FILE_MAX = 1 << 20, /* bytes of a file of rules; a larger one is not read */
	IGNORE_RULES_MAX = 20000,  /* of a file */
};

/** The rules that hold in a directory: its own, and those of the directories above. */
struct ignore {
	const struct ignore *above; /* borrowed; NULL at the top */
	struct rules *own[3];       /* .ignore, .gitignore, .git/info/exclude */
	size_t depth;               /* bytes of the directory's path below the top */
	char *prefix;               /* the way from this directory to the top of the
				       search, for a directory above it: "a/b/"; or NULL */
};

/** Read the rules of an open directory. @return MT_OK or MT_ENOMEM; files that
 *  cannot be read have no rules. */
int ignore_open(struct ignore *i, const struct ignore *above, int dir_fd, size_t depth);
void ignore_close(struct ignore *i);
/** The rules that hold in `path`, an absolute path without `..`: of the directories
 *  above it, up to the one that holds `.git`. @param ret_top owned, may be NULL */
int ignore_above(const char *path, struct ignore **ret_top);
struct ignore *ignore_free_above(struct ignore *top);

/** Is it left out? `path` is relative to the top of the search. */
bool ignore_has(const struct ignore *i, const char *path, bool is_dir);

#endif
