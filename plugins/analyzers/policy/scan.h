/* SPDX-License-Identifier: MIT
 *
 * scan.h - finds recursive forced deletion in any spelling. */
#ifndef POLICY_SCAN_H
#define POLICY_SCAN_H

#include "shell.h"

struct scan {
	bool found;     /* rm with both flags */
	bool uncertain; /* both flags on an unknown target, or nested too deep */
};

/** Every command that a shell text comes to run: of scripts in it too, and what
 *  wrappers such as sudo are given: then `at` is the place of its name, not 0.
 *  `deep`: scripts that are not looked into any more; may be NULL. */
typedef int scan_each_fn(void *arg, const struct shell_command *command, size_t at);

/** Look through a shell text: quoting, paths, nesting, wrappers such as sudo and
 *  shells with -c do not hide it. @return MT_OK or MT_ENOMEM. */
int scan_deletion(const char *text, size_t len, struct scan *ret);

#endif
