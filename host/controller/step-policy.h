/* SPDX-License-Identifier: MIT
 *
 * step-policy.h - what follows: from an event, a step or not; from an error of the
 * model, a state (spec of the V0 controller: should-step rules, statuses). */
#ifndef HOST_CONTROLLER_STEP_POLICY_H
#define HOST_CONTROLLER_STEP_POLICY_H

#include "events/agent-state.h"
#include "events/event.h"
#include "llm/llm.h"

/** Does this event trigger a step of an agent in this state? */
bool step_policy_triggers(const struct event *e, enum agent_state state);

struct error_policy {
	enum agent_state state;  /* go there */
	const char *status;      /* the form for clients: "STATUS$ERROR_LLM_..." */
};
struct error_policy step_policy_of(const struct llm_error *e);
/** Is the history too long for the model? */
bool step_policy_is_overflow(const struct llm_error *e);

#endif
