/* SPDX-License-Identifier: MIT
 *
 * danger.h - commands and files that are always HIGH: built-in rules, which user rules
 * override. */
#ifndef POLICY_DANGER_H
#define POLICY_DANGER_H

#include "action-text.h"
#include "facts.h"

/** HIGH, or LOW if no check matches. */
void danger_of_command(const struct place *place, const struct facts *f,
		       struct finding *ret);
/** The same for an action with file arguments; `writes`: it writes them, otherwise it
 *  reads them. */
void danger_of_files(const struct place *place, const struct facts *f, bool writes,
		     struct finding *ret);

/** True for an `rm` of directories in the workspace that are created again, such as
 *  `build`: each named by a relative path without patterns. */
bool danger_is_cleaning(const struct place *place, const struct facts *f);

/** For an action of a tool that does not check this itself: does it name a file that
 *  `.mortise/ignore` keeps from tools? */
bool danger_of_ignored(const struct place *place, const struct facts *f,
		       struct finding *ret);

/** A rule for listing; false past the last. */
bool danger_at(size_t n, struct finding *ret, const char **ret_what);

#endif
