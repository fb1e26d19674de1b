/* SPDX-License-Identifier: MIT
 *
 * glob.h - path patterns: `*`, `?`, `[a-z]`, `**` for any directories, and `{a,b}`.
 * Work is bounded by the length of the pattern times the length of the path. */
#ifndef LIB_TEXT_GLOB_H
#define LIB_TEXT_GLOB_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	GLOB_MAX = 4096, /* bytes of a pattern */
	GLOB_FORMS = 64, /* maximum number of expansions of braces */
};

/** True if a pattern without braces matches a whole relative path. */
bool glob_match(const char *pattern, const char *path);

/** A user's pattern with its braces expanded. Without a slash it applies to the last part
 *  of a path, otherwise to the whole path. */
struct glob {
	char *forms[GLOB_FORMS];
	size_t count;
	bool hidden; /* it names a hidden file or directory */
};

int glob_open(struct glob *g, const char *pattern, struct error *err);
void glob_close(struct glob *g);
/** @param path relative to the directory that is searched */
bool glob_has(const struct glob *g, const char *path);

/** Split a pattern that starts with a directory ("/a/b/x*.c", "~/x") into the directory
 *  and the rest; a relative pattern has no directory. An empty pattern matches all files.
 *  @param ret_base owned; NULL: none. */
int glob_split(const char *pattern, char **ret_base, char **ret_rest);

#endif
