/* SPDX-License-Identifier: MIT
 *
 * delegate.h - agents that work for another agent of the same conversation. */
#ifndef HOST_CONTROLLER_DELEGATE_H
#define HOST_CONTROLLER_DELEGATE_H

#include "controller/core.h"

/** Load the agents that may be given work, and those that they may give it to. */
int delegates_configure(struct conversation *c, struct error *err);
/** May the agent that works now give work to this one? */
bool delegate_allowed(const struct conversation *c, const char *name);
/** Delegate to an agent, which works from now on. Failures are logged. */
void delegate_begin(struct conversation *c, struct event *action);
/** The current delegate has ended like this; its parent continues. */
void delegate_end(struct conversation *c, enum agent_state state, const char *reason);
/** All delegates end without effect. With `tell` their actions are answered. */
void delegates_drop(struct conversation *c, bool tell);
/** Events were undone: delegates that they began are gone. */
void delegates_rewound(struct conversation *c);
/** After a restart: those that worked work again. `each` is called before each. */
int delegates_restore(struct conversation *c,
		      int (*each)(struct conversation *c, int64_t until,
				  struct error *err),
		      struct error *err);
/** All catalogs of tools that may be called; freed by the caller. */
const struct catalog **delegates_catalogs(const struct conversation *c,
					  size_t *ret_count);
/** Under which name the state of the agent is kept in the log; 256 bytes. */
void delegates_state_key(const struct conversation *c, char *ret);

#endif
