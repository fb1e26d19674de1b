/* SPDX-License-Identifier: MIT
 *
 * actions.h - handles actions after they are logged. */
#ifndef HOST_CONTROLLER_ACTIONS_H
#define HOST_CONTROLLER_ACTIONS_H

#include "events/event.h"

struct call;
struct conversation;

/** Execute an action of the log that had no effect before a restart: it passes the gate
 *  again, or the user's answer is executed. */
void action_resume(struct conversation *c, struct event *e);
/** Log an action and handle it. Takes the reference. */
void action_log(struct conversation *c, struct event *e);
/** The same with the call of a runnable action. Takes the call. */
void action_log_call(struct conversation *c, struct call *call);

/** Log the observation of an action without a runner. `extras` is taken; NULL: none. */
void action_answer(struct conversation *c, struct event *action, const char *type,
		   const char *content, json_object *extras);
/** Wait for the user, or, in a non-interactive run, continue or finish. `asks`: the agent
 *  asked a question and is not finished; `text` is its message. */
void action_wait_for_user(struct conversation *c, bool asks, const char *text);

#endif
