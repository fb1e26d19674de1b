/* SPDX-License-Identifier: MIT
 *
 * harmless-git.h - detects subcommands of git that are known to be harmless. */
#ifndef POLICY_HARMLESS_GIT_H
#define POLICY_HARMLESS_GIT_H

#include "facts.h"

/** @return MT_RISK_LOW: it only reads; MT_RISK_MEDIUM: it changes the repository in a way
 *  that git can undo, and runs no hook; MT_RISK_UNKNOWN. Does not check the files that
 *  its words name. */
int git_risk(const struct place *place, const struct facts *f);

#endif
