/* SPDX-License-Identifier: MIT
 *
 * policy.h - shared declarations of the files of `mortise policy`. */
#ifndef CLI_POLICY_H
#define CLI_POLICY_H

#include "commands.h"

/** List the actions that run without a prompt in this project, or in the conversation
 *  `prefix`. `prefix` NULL: the project. @return an exit code. */
int policy_approvals(const struct common *common, const char *prefix, bool json);
/** Revoke the approvals of these numbers, as policy_approvals prints them, or `all`. */
int policy_revoke(const struct common *common, const char *prefix, int argc, char **argv);

#endif
