/* SPDX-License-Identifier: MIT
 *
 * agent-state.h - the states of an agent and the transitions between them, as in
 * OpenHands V0. */
#ifndef LIB_EVENTS_AGENT_STATE_H
#define LIB_EVENTS_AGENT_STATE_H

#include <stdbool.h>

enum agent_state {
	STATE_LOADING,
	STATE_RUNNING,
	STATE_AWAITING_USER_INPUT,
	STATE_PAUSED,
	STATE_STOPPED,
	STATE_FINISHED,
	STATE_REJECTED,
	STATE_ERROR,
	STATE_AWAITING_USER_CONFIRMATION,
	STATE_USER_CONFIRMED,
	STATE_USER_REJECTED,
	STATE_RATE_LIMITED,
	STATE_COUNT,
};

/** The state as text in events, for example "running". */
const char *state_name(enum agent_state state);
/** @return the state, or -1. */
int state_find(const char *name);
/** True if this transition is allowed while the agent works. This determines which
 *  commands are offered. The controller itself may set any state, as in V0. */
bool state_allowed(enum agent_state from, enum agent_state to);
/** True if the agent is idle: it does nothing without a command. */
bool state_is_resting(enum agent_state state);

#endif
