/* SPDX-License-Identifier: MIT
 *
 * react.h - what follows: from an event, a step or not; from an error of the
 * model, a state (spec of the V0 controller: should-step rules, statuses). */
#ifndef HOST_CONTROLLER_REACT_H
#define HOST_CONTROLLER_REACT_H

#include "controller/state.h"
#include "events/event.h"
#include "llm/llm.h"

/** Does an agent in this state take a step because of this event? */
bool event_steps(const struct event *e, enum agent_state state);

struct reaction {
	bool condense;           /* ask for a condensation, then go on */
	enum agent_state state;  /* else: go there */
	const char *status;      /* as clients know it: "STATUS$ERROR_LLM_..." */
};
/** `may_condense`: an overflow of the context window may be mended. */
struct reaction model_error_reaction(const struct llm_error *e, bool may_condense);

#endif
