/* SPDX-License-Identifier: MIT
 *
 * delegation.h - agents that work for another agent of the same conversation. */
#ifndef HOST_FEATURES_DELEGATION_H
#define HOST_FEATURES_DELEGATION_H

#include "controller/feature.h"
#include "strbuf.h"

/** May the active agent delegate to this one? */
bool delegation_allowed(const struct conversation *c, const char *name);
/** Does a subagent of this name begin with the context of its parent? Only
 *  delegate_tasks can start it. */
bool delegation_forks(const struct conversation *c, const char *name);
/** A sentence that names those agents. */
void delegation_put_agents(const struct conversation *c, struct strbuf *out);
/** The active subagent has ended in this state; its parent continues. */
void delegation_end(struct conversation *c, enum agent_state state, const char *reason);

extern const struct feature delegation_feature;

#endif
