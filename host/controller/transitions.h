/* SPDX-License-Identifier: MIT
 *
 * transitions.h - the steps of a change of state, for features that take part in it. */
#ifndef HOST_CONTROLLER_TRANSITIONS_H
#define HOST_CONTROLLER_TRANSITIONS_H

#include "events/agent-state.h"
#include "error.h"

struct conversation;

/** The two halves of conversation_set_state, for events that must be logged between them:
 *  one logs the event, the other notifies the watchers. */
void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason);
void conversation_notify_state(struct conversation *c);
/** Restore a state from the log of a resumed conversation. */
void conversation_restore_state(struct conversation *c, enum agent_state state);
/** The exit code of the error state being entered. */
int conversation_error_code(const struct conversation *c);
/** Discard the error, because it does not affect the conversation. */
void conversation_clear_error(struct conversation *c);
/** Cancel what is in progress, without effect. */
void conversation_cancel_work(struct conversation *c);
/** Log an observation for the pending action that reports why it has no result: the
 *  conversation was stopped, or is in error. */
void conversation_settle(struct conversation *c, enum agent_state state);

#endif
