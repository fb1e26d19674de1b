/* SPDX-License-Identifier: MIT
 *
 * observations.c - logs the observations of actions and ends the pending call. */
#include "controller/observations.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/turn.h"
#include "log.h"

#include <string.h>

/* Tell the model that the result is not the end of the call. */
static void note_interruption(const struct call *call, struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(128 << 20);
	double seconds = (double)(uv_hrtime() - call->sent_at) / 1e9;
	size_t len;
	const char *content = event_content(e, &len);

	strbuf_addn(&text, content, len);
	strbuf_addf(&text, "%s[Interrupted by the user after %.*f s]",
		    len && content[len - 1] != '\n' ? "\n" : "", seconds < 10, seconds);
	if (text.error || js_set_strn(e->json, "content", text.text, text.len))
		log_line(MT_LOG_WARNING, "controller",
			 "cannot report an interruption to the model: out of memory");
}

/* Set the cause, the source and the answered call of an action's observation. */
void observation_log(struct conversation *c, struct event *action, struct event *e,
		     struct error *err)
{
	/* The call that ends here may hold the last reference. */
	AUTO(event) struct event *kept = event_ref(action);
	json_object *meta = event_tool_meta(action);
	bool ran = turn_pending(c) == action->id && c->state == STATE_USER_CONFIRMED;
	AUTO(call) struct call *call = turn_finish(c, action->id);

	if (e && meta)
		js_set(e->json, "tool_call_metadata", json_object_get(meta));
	if (call)
		call_cancel_early(call, c->link);
	else if (action->type->flags & EVENT_RUNNABLE)
		call = call_new(c, action); /* from the logged action */
	if (!e)
		conversation_notice(c, MT_LOG_ERROR, "%s", err->text);
	if (e && call && call->interrupted && call->sent_at)
		note_interruption(call, e);
	FEATURES_TELL(before_observation, c, action, call, e);
	conversation_log_event(c, e, err);
	if (ran && c->state == STATE_USER_CONFIRMED)
		conversation_set_state(c, STATE_RUNNING, "");
	if (state_is_resting(c->state))
		FEATURES_ASK(deliver, c);
	FEATURES_TELL(after_observation, c, kept);
}

void observation_log_answer(struct conversation *c, struct event *action,
			    const char *type, const char *text, struct error *err)
{
	observation_log(c, action,
			event_observation(type, action->source, action->id, text,
					  strlen(text), NULL, err),
			err);
}

void observation_log_failure(struct conversation *c, struct event *action,
			     const char *error_id, const char *text)
{
	struct error err = ERROR_NONE;
	json_object *extras = js_new_object();
	struct event *e;

	js_set_str(extras, "error_id", error_id);
	e = event_observation("error", action->source, action->id, text, strlen(text),
			      extras, &err);
	observation_log(c, action, e, &err);
}

void observation_log_denial(struct conversation *c, struct event *action, const char *why)
{
	struct error err = ERROR_NONE;

	observation_log(c, action,
			event_observation("user_rejected", SOURCE_USER, action->id, why,
					  strlen(why), NULL, &err),
			&err);
}
