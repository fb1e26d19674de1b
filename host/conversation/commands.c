/* SPDX-License-Identifier: MIT
 *
 * commands.c - requests of frontends: continue, pause, stop, actions. */
#include "conversation/conversation.h"

#include "controller/actions.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/dispatch.h"
#include "exit-code.h"
#include "controller/feature.h"
#include "controller/plugins/model-request.h"
#include "controller/step.h"
#include "controller/transitions.h"
#include "controller/turn-actions.h"
#include "conversation/shell-directory.h"
#include "conversation/waiting-messages.h"

/* An action of an earlier process that has had no effect yet. */
static void redo(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action = evlog_event(c->log, turn_uncommitted(c), &err);

	turn_set_uncommitted(c, -1);
	if (action)
		action_resume(c, action);
	else
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
}

int conversation_continue(struct conversation *c, struct error *err)
{
	bool held;

	if (c->closing)
		return fail(err, MT_EDENIED, "the conversation is being closed");
	if (FEATURES_TRY(&held, before_continue, c, &held, err))
		return err->code;
	if (held)
		return MT_OK;
	if (c->state == STATE_RATE_LIMITED && request_has_exchange(c))
		return MT_OK; /* the action continues after the wait */
	conversation_set_state(c, STATE_RUNNING, "");
	c->step_requested = true;
	if (turn_uncommitted(c) >= 0 && c->state == STATE_RUNNING)
		redo(c);
	step_run_ready(c);
	return MT_OK;
}

int conversation_interrupt(struct conversation *c, struct error *err)
{
	(void)err;
	turn_interrupt(c);
	step_run_ready(c);
	return MT_OK;
}

int conversation_withdraw(struct conversation *c, struct error *err)
{
	return waiting_messages_withdraw(c, err);
}

/* Did the user start the pending action? The agent is idle then. */
static bool user_action_runs(const struct conversation *c)
{
	return turn_is_running(c) && state_is_resting(c->state) &&
	       turn_call(c)->action->source == SOURCE_USER;
}

int conversation_pause(struct conversation *c, const char *reason, struct error *err)
{
	if (user_action_runs(c)) {
		turn_call(c)->interrupted = true;
		conversation_cancel_work(c);
		return MT_OK;
	}
	if (!state_allowed(c->state, STATE_PAUSED))
		return fail(err, MT_EINVAL, "cannot pause: the conversation is %s",
			    state_name(c->state));
	turn_interrupt(c);
	conversation_cancel_work(c);
	if (!turn_awaits_approval(c))
		turn_refuse(c, "This call was not run, because the user paused the agent "
			       "first.");
	if (state_allowed(c->state, STATE_PAUSED)) /* cancelling did not make it idle */
		conversation_set_state(c, STATE_PAUSED, reason);
	return MT_OK;
}

void conversation_stop(struct conversation *c, const char *reason)
{
	if (c->state == STATE_STOPPED) { /* an action that the user started ends too */
		conversation_cancel_work(c);
		conversation_settle(c, STATE_STOPPED);
	}
	conversation_set_state(c, STATE_STOPPED, reason);
}

int conversation_action(struct conversation *c, json_object *json, struct error *err)
{
	AUTO(event) struct event *e = event_from_json(json, err);
	AUTO(event) struct event *action = NULL;
	AUTO(call) struct call *call = NULL;
	const struct action_handler *handler;

	if (!e)
		return err->code;
	handler = features_user_action(e);
	if (handler)
		return handler->by_user(c, e, err);
	if (!e->is_action || !(e->type->flags & EVENT_RUNNABLE))
		return fail(err, MT_EINVAL, "`%s` is not an action that can be executed",
			    e->type->name);
	if (!turn_is_idle(c) || request_is_open(c) || FEATURES_ASK(is_busy, c) ||
	    c->closing)
		return fail(err, MT_EDENIED, "the agent is running; pause it first");
	if (shell_directory_resolve(c, e->json))
		return out_of_memory(err);
	action = event_action(e->type->name, SOURCE_USER, json_object_get(event_args(e)),
			      err);
	if (!action)
		return err->code;
	if (js_get(e->json, "timeout"))
		js_set(action->json, "timeout",
		       json_object_get(js_get(e->json, "timeout")));
	call = call_new(c, action);
	if (!call)
		return out_of_memory(err);
	if (FEATURES_ASK(check_user_call, c, call, err) || call_log(c, call, err) < 0)
		return err->code;
	turn_start(c, STEAL(call));
	dispatch_call(c);
	return MT_OK;
}
