/* SPDX-License-Identifier: MIT
 *
 * feature-approval.h - for features that assess and approve calls. */
#ifndef HOST_CONTROLLER_FEATURE_APPROVAL_H
#define HOST_CONTROLLER_FEATURE_APPROVAL_H

#include <stdbool.h>

struct analyzers;
struct conversation;

/** The configured analyzers; borrowed. */
struct analyzers *conversation_analyzers(const struct conversation *c);
/** A user can approve actions. */
bool conversation_is_interactive(const struct conversation *c);

#endif
