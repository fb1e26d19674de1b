/* SPDX-License-Identifier: MIT
 *
 * step-policy.c - rules for events and errors: which ones lead to a step, and which
 * state follows an error. */
#include "controller/step-policy.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

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

bool step_policy_is_overflow(const struct llm_error *e)
{
	return e->kind == MT_ERROR_CONTEXT_WINDOW || e->kind == MT_ERROR_HISTORY;
}

struct error_policy step_policy_of(const struct llm_error *e)
{
	static const struct {
		int kind;
		const char *status;
	} statuses[] = {
		{ MT_ERROR_AUTHENTICATION, "STATUS$ERROR_LLM_AUTHENTICATION" },
		{ MT_ERROR_OVERLOADED, "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" },
		{ MT_ERROR_NETWORK, "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" },
		{ MT_ERROR_INTERNAL, "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR" },
		{ MT_ERROR_QUOTA, "STATUS$ERROR_LLM_OUT_OF_CREDITS" },
		{ MT_ERROR_CONTENT_POLICY, "STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION" },
		{ MT_ERROR_RATE_LIMIT, "CHAT_INTERFACE$AGENT_RATE_LIMITED_STOPPED_MESSAGE" },
	};
	struct error_policy r = { .state = STATE_ERROR, .status = "STATUS$ERROR" };

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		if (statuses[i].kind == e->kind)
			r.status = statuses[i].status;
	return r;
}
