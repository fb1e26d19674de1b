/* SPDX-License-Identifier: MIT
 *
 * tool-ignore.h - the files that tools may neither read nor change: those that match
 * `.mortise/ignore` of a directory above them, with the rules of .gitignore. */
#ifndef LIB_TEXT_TOOL_IGNORE_H
#define LIB_TEXT_TOOL_IGNORE_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

/** True if tools may not use the file, which may not exist: as `path` names it, which is
 *  absolute, or with symbolic links resolved. True also if memory ran out. */
bool tool_ignore_has(const char *path);
/** The error for such a file. @return MT_EDENIED; MT_OK if tools may use it */
int tool_ignore_check(const char *path, struct error *err);

typedef int tool_ignore_fn(void *arg, const char *path);

/** Call `fn` for the files in a directory that match, without links to directories, and
 *  without the contents of directories that match; only if the directory or one above it
 *  has rules.
 *  @return MT_OK; the status of `fn`, which ends it; MT_ELIMIT after `max` files; MT_ENOMEM */
int tool_ignore_each(const char *directory, size_t max, tool_ignore_fn *fn, void *arg);

#endif
