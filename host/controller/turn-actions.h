/* SPDX-License-Identifier: MIT
 *
 * turn-actions.h - executes the plan of the agent. */
#ifndef HOST_CONTROLLER_TURN_ACTIONS_H
#define HOST_CONTROLLER_TURN_ACTIONS_H

#include "controller/turn.h"

/** Execute the next planned action. */
void turn_take_planned(struct conversation *c);
/** The call `ahead` positions after the next planned action, owned; *ret_index: its index
 *  in the reply. NULL: not a tool call, or it cannot be created. */
struct call *turn_planned_call(struct conversation *c, size_t ahead, size_t *ret_index);
/** Drop the plan; the results of its calls report why they were not made. Planned
 *  messages are logged, without waiting for the user. */
void turn_refuse(struct conversation *c, const char *why);
/** Log an error for the model. `call_id` and `function` (may be NULL) identify the call
 *  of the reply that it answers. */
void turn_log_error(struct conversation *c, const char *call_id, const char *function,
		    const char *text);

#endif
