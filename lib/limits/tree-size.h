/* SPDX-License-Identifier: MIT
 *
 * tree-size.h - the space that a directory takes on disk. */
#ifndef LIB_LIMITS_TREE_SIZE_H
#define LIB_LIMITS_TREE_SIZE_H

#include <stdint.h>

/** The bytes of all files and directories in a directory, at least 4096 of each, so that
 *  empty files count. The walk ends above `max`. Unreadable directories are skipped. */
int64_t tree_size(const char *path, int64_t max);

#endif
