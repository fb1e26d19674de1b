/* SPDX-License-Identifier: MIT
 *
 * apply.h - applies a patch to the files of a workspace, completely or not at all. */
#ifndef PATCH_APPLY_H
#define PATCH_APPLY_H

#include "patch.h"

/** Apply the patch. `ret->changes` lists the changes. On failure, `ret->why` has the
 *  reason and the files are unchanged. Call patch_clear in both cases. */
int patch_files(const char *workspace, const char *text, size_t len, struct patch *ret);

#endif
