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
	char *workspace;        /* as given, clean; "" if unknown */
	char *real_workspace;   /* symbolic links resolved */
	char *home, *real_home; /* NULL if unknown */
	const char *const *roots; /* more directories of the conversation, symbolic links
			       resolved, up to NULL; borrowed; NULL: none */
	char *directory; /* of the shell; the workspace if unknown */
	size_t lookups;  /* in the file system, for this action */
};

/** `directory`: current directory of the shell; "" if no command has run yet. */
int place_init(struct place *p, const char *workspace, const char *directory);
void place_clear(struct place *p);

/** Append `path`, seen from the directory `base`, without `.` and `..`; does not access
 *  the file system. @return MT_OK, MT_ENOMEM or MT_ELIMIT. */
int place_clean(const char *path, const char *base, struct strbuf *out);
/** The same with symbolic links resolved, as far as the path exists. @return MT_OK,
 *  MT_ENOMEM, or MT_ELIMIT also when the lookups of this action are used up. */
int place_resolve(struct place *p, const char *path, const char *base,
		  struct strbuf *out);

/** Is the clean path `path` the directory `dir` or inside it? */
bool place_is_below(const char *path, const char *dir);
/** Is the clean path `path` in the workspace, as given, or in another directory of the
 *  conversation? */
bool place_belongs(const struct place *p, const char *path);
/** Is a path from place_resolve() in the workspace or in such a directory? */
bool place_is_inside(const struct place *p, const char *resolved);

#endif
