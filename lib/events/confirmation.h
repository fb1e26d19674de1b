/* SPDX-License-Identifier: MIT
 *
 * confirmation.h - the risk and approval state of an action.
 *
 * An action that waits for the user is marked `awaiting_confirmation`. The answer is the
 * same action once more, marked `confirmed` or `rejected`, with the id of the first one in
 * `confirms`. */
#ifndef LIB_EVENTS_CONFIRMATION_H
#define LIB_EVENTS_CONFIRMATION_H

#include "events/event.h"

/** Numbers as in the event log (`security_risk`). */
enum risk { RISK_UNKNOWN = -1, RISK_LOW, RISK_MEDIUM, RISK_HIGH };

/** "LOW", for example; "UNKNOWN" for any other value. */
const char *risk_name(enum risk risk);

/** Set confirmation_state in args, or next to args if the type does not have the
 *  field. */
int event_set_confirmation(struct event *e, const char *state);
/** True if this logged action waits for the user's answer. */
bool event_awaits_confirmation(const struct event *action);
/** True if this action is the user's answer. *ret_yes: the user approved it. */
bool event_is_answer(const struct event *action, bool *ret_yes);

#endif
