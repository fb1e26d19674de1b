/* SPDX-License-Identifier: MIT
 *
 * scope-paths.h - resolves the paths in an action from the directory in which it runs,
 * and finds files that are never covered by an approval of files. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_PATHS_H
#define HOST_FEATURES_APPROVAL_SCOPE_PATHS_H

#include <stdbool.h>

/** The directories in which an action would run. Borrowed. */
struct scope_place {
	const char *workspace;
	const char *dir;           /* the working directory of the shell */
	const char *tool, *toolset; /* the tool as its toolset names it, and the
				     * instance */
};

/** The absolute path without links and `..`, as the kernel would open it from `dir`
 *  now; components that do not exist yet stay unchanged. Owned. NULL: unknown. */
char *scope_path_resolve(const char *dir, const char *path);
/** Is a resolved path this directory or below it? Symbolic links in `dir` are
 *  resolved. */
bool scope_path_is_below(const char *path, const char *dir);
/** Does a resolved path under this directory lead to files that start programs
 *  automatically: .git, .mortise, .envrc, startup files of shells, and similar ones? */
bool scope_path_is_protected(const char *path, const char *dir);

#endif
