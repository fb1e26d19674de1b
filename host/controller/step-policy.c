/* SPDX-License-Identifier: MIT
 *
 * step-policy.c - the rules on what follows from events and from errors. */
#include "controller/step-policy.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <string.h>

static bool action_steps(const struct event *e, enum agent_state state)
{
	static const char *const always[] = { "delegate", "condensation",
					      "condensation_request" };
	const char *type = e->type->name;

	if (strcmp(type, "message") == 0)
		return e->source == SOURCE_USER || state != STATE_AWAITING_USER_INPUT;
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		if (strcmp(type, always[i]) == 0)
			return true;
	return false;
}

bool event_triggers_step(const struct event *e, enum agent_state state)
{
	if (e->is_action)
		return action_steps(e, state);
	if (strcmp(e->type->name, "null") == 0)
		return e->cause > 0; /* a recall that found nothing */
	return strcmp(e->type->name, "agent_state_changed") != 0;
}

struct error_policy error_policy_of(const struct llm_error *e, bool may_condense)
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

	if (e->kind == MT_ERROR_CONTEXT_WINDOW || e->kind == MT_ERROR_HISTORY) {
		r.condense = may_condense;
		return r;
	}
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		if (statuses[i].kind == e->kind)
			r.status = statuses[i].status;
	return r;
}
