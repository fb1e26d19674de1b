/* SPDX-License-Identifier: MIT
 *
 * transitions.c - logs events and enters states. */
#include "controller/transitions.h"

#include "controller/core.h"
#include "controller/observations.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-http.h"
#include "controller/turn.h"
#include "log.h"

#include <string.h>

/* Nothing can be logged, so the conversation enters the error state without an event.
 * The state reports the error, once. Work in progress cannot be recorded without the log. */
static void log_failed(struct conversation *c, const struct error *err)
{
	bool lost = evlog_is_lost(c->log), known = lost && c->loss_reported;

	c->state = STATE_ERROR;
	c->exit_code = EXIT_FAILED;
	c->loss_reported = lost;
	snprintf(c->reason, sizeof c->reason, "%s", err->text);
	if (known)
		return;
	log_line(MT_LOG_INFO, "conversation", "%s", err->text);
	NOTIFY_WATCHERS(c, state, c->state, c->reason);
	if (lost)
		conversation_cancel_work(c);
}

int conversation_barrier(struct conversation *c, struct error *err)
{
	int r = evlog_barrier(c->log, err);

	if (r)
		log_failed(c, err);
	return r;
}

int64_t conversation_log_event(struct conversation *c, struct event *e, struct error *err)
{
	int64_t id;

	if (!e) {
		conversation_notice(c, MT_LOG_ERROR, "cannot create an event: %s",
				    err->text);
		return err->code ? err->code : MT_ENOMEM;
	}
	if (evlog_append(c->log, e, err)) {
		event_unref(e);
		log_failed(c, err);
		return err->code;
	}
	id = e->id;
	event_unref(e);
	return id;
}

void conversation_cancel_work(struct conversation *c)
{
	plugin_http_cancel(c);
	request_cancel(c);
	FEATURES_TELL(cancel, c);
	if (turn_is_running(c) && turn_call(c)->number && c->link)
		runner_cancel(c->link, turn_call(c)->number);
}

/* Give the pending action of a stopped or failed conversation an observation. */
void conversation_settle(struct conversation *c, enum agent_state state)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action = NULL;

	turn_clear(c);
	if (turn_is_idle(c) && turn_uncommitted(c) < 0)
		return;
	action = evlog_event(c->log,
			     !turn_is_idle(c) ? turn_pending(c) : turn_uncommitted(c),
			     &err);
	turn_reset(c);
	if (!action || !(action->type->flags & EVENT_RUNNABLE))
		return;
	if (state == STATE_STOPPED)
		observation_log_failure(
			c, action, "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED",
			"The action was not finished: the conversation was stopped.");
	else
		observation_log_failure(
			c, action, "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_ERROR",
			"The action was not finished: the agent encountered an error.");
	if (!turn_is_idle(c)) /* the call whose code made this call */
		conversation_settle(c, state);
}

void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	json_object *extras;

	log_line(MT_LOG_DEBUG, "controller", "state %s -> %s reason=%s",
		 state_name(c->state), state_name(state),
		 mask_text(c->mask, reason, &shown));
	strbuf_reset(&shown);
	FEATURES_TELL(before_state, c, state);
	c->state = state;
	snprintf(c->reason, sizeof c->reason, "%s", mask_text(c->mask, reason, &shown));
	extras = js_new_object();
	js_set_str(extras, "agent_state", state_name(state));
	js_set_str(extras, "reason", c->reason);
	if (state == STATE_ERROR && c->status)
		js_set_str(extras, "status", c->status);
	c->status = NULL;
	conversation_log_event(c,
			       event_observation("agent_state_changed",
						 SOURCE_ENVIRONMENT, -1, "", 0, extras,
						 &err),
			       &err);
}

void conversation_restore_state(struct conversation *c, enum agent_state state)
{
	c->state = state;
}

void conversation_notify_state(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (state_is_resting(c->state) && conversation_barrier(c, &err))
		return; /* already reported */
	NOTIFY_WATCHERS(c, state, c->state, c->reason);
}

void conversation_set_state(struct conversation *c, enum agent_state state,
			    const char *reason)
{
	struct error err = ERROR_NONE;

	if (c->state == state)
		return;
	if (state == STATE_STOPPED || state == STATE_ERROR) {
		conversation_cancel_work(c);
		conversation_settle(c, state);
	}
	if (state == STATE_STOPPED)
		FEATURES_TELL(work_dropped, c);
	if (FEATURES_ASK(take_state, c, state, reason))
		return; /* the agent that continues reads the waiting messages */
	if (state_is_resting(state))
		FEATURES_ASK(deliver, c);
	if (FEATURES_ASK(prepare_state, c, state, &err)) {
		if (c->state != STATE_ERROR)
			conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	conversation_enter_state(c, state, reason);
	if (c->state == state)
		conversation_notify_state(c);
}

void conversation_rest(struct conversation *c, enum agent_state state, const char *reason)
{
	if (!FEATURES_ASK(before_rest, c, state, reason))
		conversation_set_state(c, state, reason);
}

void conversation_set_error(struct conversation *c, int exit_code, const char *fmt, ...)
{
	char text[sizeof c->reason];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (evlog_is_lost(c->log)) /* the first error, which was reported */
		return;
	c->exit_code = exit_code;
	conversation_set_state(c, STATE_ERROR, text);
}

void conversation_clear_error(struct conversation *c)
{
	c->exit_code = 0;
	c->status = NULL;
}
