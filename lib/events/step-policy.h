/* SPDX-License-Identifier: MIT
 *
 * step-policy.h - the events that trigger a step, as in OpenHands V0. */
#ifndef LIB_EVENTS_STEP_POLICY_H
#define LIB_EVENTS_STEP_POLICY_H

#include "events/agent-state.h"
#include "events/event.h"

/** True if this event triggers a step of an agent in this state. */
bool step_policy_triggers(const struct event *e, enum agent_state state);

#endif
