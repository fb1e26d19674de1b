/* SPDX-License-Identifier: MIT
 *
 * step-policy.c - decides which events trigger a step. */
#include "events/step-policy.h"

bool step_policy_triggers(const struct event *e, enum agent_state state)
{
	switch (e->type->id) {
	case ACTION_MESSAGE:
		return e->source == SOURCE_USER || state != STATE_AWAITING_USER_INPUT;
	case OBSERVATION_NULL:
		return e->cause > 0; /* a recall that found nothing */
	case OBSERVATION_AGENT_STATE_CHANGED:
		return false;
	default:
		return !e->is_action || (e->type->flags & EVENT_STEPS);
	}
}
