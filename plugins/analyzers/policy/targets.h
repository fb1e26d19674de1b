/* SPDX-License-Identifier: MIT
 *
 * targets.h - the paths and hosts that the words of a command name, wherever in a word
 * they stand: "x", "--file=x", "@x", "host:x", "-v /:/x", "file:///x". */
#ifndef POLICY_TARGETS_H
#define POLICY_TARGETS_H

#include "units.h"

/** Called with what a word may name. `word` NULL: of a redirection. Anything but 0 ends.
 */
typedef int target_fn(void *arg, const char *path, const struct shell_word *word);

/** The texts in a word that may be paths; shapes where they are not known. */
int target_parts(const struct shell_word *word, target_fn *each, void *arg);
/** Does this program take hosts without a scheme as its arguments? */
bool target_connects(const char *program);
/** Hosts of the URLs in a text, and of user@host. `bare`: the text alone may be one. */
int target_hosts(const char *text, bool bare, int (*each)(void *arg, const char *host),
		 void *arg);

#endif
