/* SPDX-License-Identifier: MIT
 *
 * trusted-path.h - can another user replace the file at a path? */
#ifndef LIB_REGISTRY_TRUSTED_PATH_H
#define LIB_REGISTRY_TRUSTED_PATH_H

#include "error.h"

#include <sys/stat.h>

/** Is this file or directory itself one that only root and this user can write to?
 *  @return NULL, or the reason why it is not. */
const char *trusted_file(const struct stat *st);

/** Can only root and this user decide what is at a path: all directories that
 *  lead to it, with those of symbolic links? The last component itself is not checked if it
 *  is a file or a directory. @return MT_OK, MT_EDENIED with the directory, MT_EIO,
 *  MT_ENOMEM */
int trusted_way(const char *path, struct error *err);

#endif
