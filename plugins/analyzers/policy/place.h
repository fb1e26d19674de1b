/* SPDX-License-Identifier: MIT
 *
 * place.h - the file that a path refers to: without `.` and `..`, symbolic links
 * resolved, relative to the directories in which a command may run. */
#ifndef POLICY_PLACE_H
#define POLICY_PLACE_H

#include "strbuf.h"
#include <stdbool.h>

enum { PLACE_PATH_MAX = 64 << 10, PLACE_LOOKUPS_MAX = 2000 };

/** The workspace, and the user's directory. */
struct place {
	char *workspace;        /* as it was given, clean; "" if unknown */
	char *real_workspace;   /* behind symbolic links */
	char *home, *real_home; /* NULL if unknown */
	char *directory; /* where the shell is; the workspace if that is not known */
	size_t lookups;  /* in the file system, for this action */
};

/** `directory`: where the shell is; "" if no command has run yet. */
int place_init(struct place *p, const char *workspace, const char *directory);
void place_clear(struct place *p);

/** Append `path`, seen from the directory `base`, without `.` and `..`; nothing is looked
 *  up. @return MT_OK, MT_ENOMEM or MT_ELIMIT. */
int place_clean(const char *path, const char *base, struct strbuf *out);
/** The same behind symbolic links, as far as the file exists. @return MT_OK, MT_ENOMEM,
 *  or MT_ELIMIT also when the lookups of this action are used up. */
int place_resolve(struct place *p, const char *path, const char *base,
		  struct strbuf *out);

/** Is the clean path `path` the directory `dir` or below it? */
bool place_is_below(const char *path, const char *dir);
/** Inside the workspace, by a path that place_resolve() gave? */
bool place_is_inside(const struct place *p, const char *resolved);

#endif
