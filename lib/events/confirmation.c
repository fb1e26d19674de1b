/* SPDX-License-Identifier: MIT
 *
 * confirmation.c - reads and sets the confirmation_state of an action. */
#include "events/confirmation.h"

#include <string.h>

static const char state_key[] = "confirmation_state";

const char *risk_name(enum risk risk)
{
	switch (risk) {
	case RISK_LOW:
		return "LOW";
	case RISK_MEDIUM:
		return "MEDIUM";
	case RISK_HIGH:
		return "HIGH";
	case RISK_UNKNOWN:
		break;
	}
	return "UNKNOWN";
}

static json_object *confirmation_place_of(const struct event *e)
{
	return event_field_find(e->type, state_key) ? event_args(e) : e->json;
}

int event_set_confirmation(struct event *e, const char *state)
{
	return js_set_str(confirmation_place_of(e), state_key, state);
}

bool event_awaits_confirmation(const struct event *action)
{
	return strcmp(js_str(confirmation_place_of(action), state_key, ""),
		      "awaiting_confirmation") == 0;
}

bool event_is_answer(const struct event *action, bool *ret_yes)
{
	if (js_int(action->json, "confirms", -1) < 0)
		return false;
	*ret_yes = strcmp(js_str(confirmation_place_of(action), state_key, ""),
			  "rejected") != 0;
	return true;
}
