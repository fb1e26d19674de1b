/* SPDX-License-Identifier: MIT
 *
 * harmless.h - commands that are known to be harmless, considering their options and
 * files. Everything else is unknown. */
#ifndef POLICY_HARMLESS_H
#define POLICY_HARMLESS_H

#include "facts.h"

/** @return MT_RISK_LOW: it only reads, inside the workspace; MT_RISK_MEDIUM: it changes
 *  ordinary files of the workspace; MT_RISK_UNKNOWN: neither is known. */
int harmless_command(struct place *place, const struct facts *f);
/** Does a program of risk MEDIUM leave paths unchanged (unlike `mv`)? */
bool harmless_settles(const struct unit *u);
/** The risk of an action with file arguments. */
int harmless_files(const struct place *place, const struct facts *f, bool writes);

#endif
