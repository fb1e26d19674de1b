/* SPDX-License-Identifier: MIT
 *
 * ignore.h - the files that a search ignores because of .gitignore, .ignore, and
 * .git/info/exclude, with git's rules. */
#ifndef LIB_TEXT_IGNORE_H
#define LIB_TEXT_IGNORE_H

#include "strbuf.h"
#include <stdbool.h>

enum {
	IGNORE_FILE_MAX = 1 << 20, /* maximum bytes of a file; a larger one is skipped */
	IGNORE_RULES_MAX = 20000,  /* of a file */
};

/** The rules for a directory: its own, and those of its parents. */
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
/** The same for `.mortise/ignore` instead of these. */
int ignore_open_tools(struct ignore *i, const struct ignore *above, int dir_fd,
		      size_t depth);
void ignore_close(struct ignore *i);
/** The rules for `path`, an absolute path without `..`: of its parent directories, up to
 *  the one that contains `.git`. @param ret_top owned, may be NULL */
int ignore_above(const char *path, struct ignore **ret_top);
struct ignore *ignore_free_above(struct ignore *top);

/** True if the file is ignored. `path` is relative to the top of the search. */
bool ignore_has(const struct ignore *i, const char *path, bool is_dir);

#endif
