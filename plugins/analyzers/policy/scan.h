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

/** Called for each command that a shell text runs, also in nested scripts and after
 *  wrappers such as sudo; for the latter, `at` is the index of its name, not 0. */
typedef int scan_each_fn(void *arg, const struct shell_command *command, size_t at);

/** Analyze a shell text: detects deletion despite quoting, paths, nesting, wrappers such
 *  as sudo, and shells with -c. @return MT_OK or MT_ENOMEM. */
int scan_deletion(const char *text, size_t len, struct scan *ret);

#endif
