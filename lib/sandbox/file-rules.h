/* SPDX-License-Identifier: MIT
 *
 * file-rules.h - the Landlock rule set of a sandbox. */
#ifndef LIB_SANDBOX_FILE_RULES_H
#define LIB_SANDBOX_FILE_RULES_H

#include "sandbox/rules.h"

/** The rule set, for the file system as this process sees it; `temporary` can be written. `own_network`: the sandbox
 *  has a network namespace, which needs no rules. `*ret_version` is the effective version.
 *  @return a descriptor; -1: the kernel has no Landlock, or errno. */
int file_rules_make(const struct sandbox_rules *r, const char *temporary,
		    bool own_network, int *ret_version);

#endif
