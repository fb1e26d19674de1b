/* SPDX-License-Identifier: MIT
 *
 * scripts.h - detects sed and awk scripts that do not start programs or write files. */
#ifndef POLICY_SCRIPTS_H
#define POLICY_SCRIPTS_H

#include "units.h"

/** Is the script of this `sed` known to print, delete and replace only? */
bool script_is_good_sed(const struct unit *u);
/** Does the script of this `awk` neither start programs nor write files? */
bool script_is_good_awk(const struct unit *u);

#endif
