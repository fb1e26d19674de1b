/* SPDX-License-Identifier: MIT
 *
 * harmless-git.h - which subcommands of git are known to be harmless. */
#ifndef POLICY_HARMLESS_GIT_H
#define POLICY_HARMLESS_GIT_H

#include "facts.h"

/** @return MT_RISK_LOW: it only reads; MT_RISK_MEDIUM: it changes the repository in a way
 *  that git can undo, and runs no hook; MT_RISK_UNKNOWN. The files that its words name
 *  are not looked at. */
int git_risk(const struct place *place, const struct facts *f);

#endif
