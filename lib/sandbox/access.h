/* SPDX-License-Identifier: MIT
 *
 * access.h - applies the rules of a sandbox to one path. */
#ifndef LIB_SANDBOX_ACCESS_H
#define LIB_SANDBOX_ACCESS_H

#include "sandbox/rules.h"

enum sandbox_access {
	SANDBOX_ACCESS_NONE,      /* can be listed, not read */
	SANDBOX_ACCESS_HIDDEN,    /* does not exist in the sandbox */
	SANDBOX_ACCESS_READ,
	SANDBOX_ACCESS_PROTECTED, /* read-only, in a directory that can be changed */
	SANDBOX_ACCESS_WRITE,
};

/** `path` is absolute and without symbolic links. `*ret_rule` (may be NULL) is the path of
 *  the rule that decides, borrowed; NULL: none. */
enum sandbox_access sandbox_access(const struct sandbox_rules *r, const char *path,
				   const char **ret_rule);
/** Whether a grant opens the Unix socket at `path`. */
bool sandbox_grants_socket(const struct sandbox_rules *r, const char *path);
/** The absolute path that `path` names in `directory`, without symbolic links as far as it
 *  exists: ~ is $HOME. `ret` has PATH_MAX bytes. @return false if its directory does not
 *  exist */
bool sandbox_resolve(const char *directory, const char *path, char *ret);

#endif
