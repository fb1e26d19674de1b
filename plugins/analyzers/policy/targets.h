/* SPDX-License-Identifier: MIT
 *
 * targets.h - finds the paths and hosts in the words of a command, at any position: "x",
 * "--file=x", "@x", "host:x", "-v /:/x", "file:///x". */
#ifndef POLICY_TARGETS_H
#define POLICY_TARGETS_H

#include "units.h"

/** Called for each possible path. `word` NULL: of a redirection. A result other than 0
 *  stops. */
typedef int target_fn(void *arg, const char *path, const struct shell_word *word);

/** Find the texts in a word that may be paths; shapes if parts are unknown. */
int target_parts(const struct shell_word *word, target_fn *each, void *arg);
/** Does this program take hosts without a scheme as its arguments? */
bool target_connects(const char *program);
/** Find the hosts of URLs and of user@host in a text. `bare`: the whole text may be a
 *  host. */
int target_hosts(const char *text, bool bare, int (*each)(void *arg, const char *host),
		 void *arg);

#endif
