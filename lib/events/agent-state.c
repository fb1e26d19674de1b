/* SPDX-License-Identifier: MIT
 *
 * agent-state.c - the table of agent states. */
#include "events/agent-state.h"

#include <string.h>

#define TO(state) (1u << STATE_##state)

/* An agent can stop or fail in any state. */
#define ALWAYS (TO(STOPPED) | TO(ERROR))

static const struct {
	const char *name;
	unsigned to;
	bool resting;
} states[STATE_COUNT] = {
	[STATE_LOADING] = { "loading",
		ALWAYS | TO(RUNNING) | TO(AWAITING_USER_INPUT) | TO(PAUSED), false },
	[STATE_RUNNING] = { "running",
		ALWAYS | TO(AWAITING_USER_INPUT) | TO(PAUSED) | TO(FINISHED) | TO(REJECTED)
		| TO(AWAITING_USER_CONFIRMATION) | TO(RATE_LIMITED), false },
	[STATE_AWAITING_USER_INPUT] = { "awaiting_user_input",
		ALWAYS | TO(RUNNING) | TO(PAUSED) | TO(FINISHED), true },
	[STATE_PAUSED] = { "paused",
		ALWAYS | TO(RUNNING) | TO(AWAITING_USER_INPUT)
		| TO(AWAITING_USER_CONFIRMATION), true },
	[STATE_STOPPED] = { "stopped", ALWAYS | TO(RUNNING), true },
	[STATE_FINISHED] = { "finished", ALWAYS | TO(RUNNING), true },
	[STATE_REJECTED] = { "rejected", ALWAYS | TO(RUNNING), true },
	[STATE_ERROR] = { "error", ALWAYS | TO(RUNNING), true },
	[STATE_AWAITING_USER_CONFIRMATION] = { "awaiting_user_confirmation",
		ALWAYS | TO(USER_CONFIRMED) | TO(USER_REJECTED) | TO(PAUSED)
		| TO(RUNNING), true },
	[STATE_USER_CONFIRMED] = { "user_confirmed",
		ALWAYS | TO(RUNNING) | TO(PAUSED), false },
	[STATE_USER_REJECTED] = { "user_rejected",
		ALWAYS | TO(RUNNING) | TO(AWAITING_USER_INPUT) | TO(PAUSED), false },
	[STATE_RATE_LIMITED] = { "rate_limited", ALWAYS | TO(RUNNING) | TO(PAUSED), false },
};

const char *state_name(enum agent_state state)
{
	return states[state].name;
}

int state_find(const char *name)
{
	for (int i = 0; i < STATE_COUNT; i++)
		if (strcmp(states[i].name, name) == 0)
			return i;
	return -1;
}

bool state_allowed(enum agent_state from, enum agent_state to)
{
	return from != to && (states[from].to & (1u << to));
}

bool state_is_resting(enum agent_state state)
{
	return states[state].resting;
}
