/* SPDX-License-Identifier: MIT
 *
 * feature-states.h - for features that take part in the transitions between states. */
#ifndef HOST_CONTROLLER_FEATURE_STATES_H
#define HOST_CONTROLLER_FEATURE_STATES_H

#include "controller/state.h"
#include "error.h"

struct conversation;

/** The two halves of conversation_set_state, for events that have to be logged between
 *  them: the event, and the notification of watchers. */
void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason);
void conversation_notify_state(struct conversation *c);
/** The agent becomes idle, unless a feature has more work for it. `reason` must be a
 *  static string. */
void conversation_rest(struct conversation *c, enum agent_state state,
		       const char *reason);
/** Restore a state from the log of a resumed conversation. */
void conversation_restore_state(struct conversation *c, enum agent_state state);
/** evlog_barrier; if it fails, the conversation is in error. */
int conversation_barrier(struct conversation *c, struct error *err);
/** The exit code of the error state that is being entered. */
int conversation_error_code(const struct conversation *c);
/** The error was one of a subagent and does not affect the conversation. */
void conversation_clear_error(struct conversation *c);
/** Cancel what is in progress, without effect. */
void conversation_cancel_work(struct conversation *c);

#endif
