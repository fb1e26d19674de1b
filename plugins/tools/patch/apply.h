/* SPDX-License-Identifier: MIT
 *
 * apply.h - applies a patch to the files of a workspace, completely or not at all. */
#ifndef PATCH_APPLY_H
#define PATCH_APPLY_H

#include "patch.h"

/** Apply. What was done is in `ret->changes`; a failure says why in `ret->why` and
 *  leaves the files as they were. patch_clear is due either way. */
int patch_files(const char *workspace, const char *text, size_t len, struct patch *ret);

#endif
