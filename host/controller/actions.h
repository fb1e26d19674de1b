/* SPDX-License-Identifier: MIT
 *
 * actions.h - handles actions after they are logged. */
#ifndef HOST_CONTROLLER_ACTIONS_H
#define HOST_CONTROLLER_ACTIONS_H

#include "events/event.h"

struct call;
struct conversation;

/** Handle a logged action that had no effect before a restart: it passes the gate again,
 *  or, if the user has answered, the answer is executed. */
void action_resume(struct conversation *c, struct event *e);
/** Log an action and handle it. Takes the reference. */
void action_log(struct conversation *c, struct event *e);
/** Log the action of a call and handle it. Takes the call. */
void action_log_call(struct conversation *c, struct call *call);

/** Log the observation of an action that needs no runner. Takes `extras`, which may be
 *  NULL. */
void action_answer(struct conversation *c, struct event *action, const char *type,
		   const char *content, json_object *extras);
/** Wait for the user, unless a feature continues or ends the work. `asks`: the agent
 *  asked a question and is not finished; `text` is its message. */
void action_wait_for_user(struct conversation *c, bool asks, const char *text);

#endif
