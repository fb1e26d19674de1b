/* SPDX-License-Identifier: MIT
 *
 * roots.h - the directories that belong to a conversation in addition to its workspace:
 * `directories` in [workspace], which --add-dir sets. */
#ifndef LIB_SANDBOX_ROOTS_H
#define LIB_SANDBOX_ROOTS_H

#include "config/config.h"
#include "js.h"

enum { ROOTS_MAX = 32 };

/** Check all of them. A sentence says why a directory cannot belong to a conversation. */
int roots_check(const struct config *c, struct error *err);
/** Those that pass the checks; the paths and the list, which ends in NULL, are owned.
 *  `*ret` NULL: there are none.
 *  @return MT_OK or MT_ENOMEM */
int roots_list(const struct config *c, char ***ret);
/** The same as a JSON array, owned; NULL: there are none, or no memory. */
json_object *roots_json(const struct config *c);
void roots_free(char **list);

static inline void auto_roots(char ***list)
{
	roots_free(*list);
}

#endif
