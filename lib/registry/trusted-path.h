/* SPDX-License-Identifier: MIT
 *
 * trusted-path.h - checks whether another user can replace the file at a path. */
#ifndef LIB_REGISTRY_TRUSTED_PATH_H
#define LIB_REGISTRY_TRUSTED_PATH_H

#include "error.h"

#include <sys/stat.h>

/** Check that only root and this user can write to this file or directory.
 *  @return NULL, or the reason why not. */
const char *trusted_file(const struct stat *st);

/** Check that only root and this user control what is at a path: all directories on the
 *  way, including those of symbolic links. The last component itself is not checked if it
 *  is a file or a directory. @return MT_OK, MT_EDENIED with the directory, MT_EIO,
 *  MT_ENOMEM */
int trusted_way(const char *path, struct error *err);

#endif
