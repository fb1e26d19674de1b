/* SPDX-License-Identifier: MIT
 *
 * delegation.h - agents that work for another agent of the same conversation. */
#ifndef HOST_FEATURES_DELEGATION_H
#define HOST_FEATURES_DELEGATION_H

#include "controller/feature.h"

/** May the agent that works now give work to this one? */
bool delegation_allowed(const struct conversation *c, const char *name);
/** The delegate that works now has ended like this; the one above continues. */
void delegation_end(struct conversation *c, enum agent_state state, const char *reason);

extern const struct feature delegation_feature;

#endif
