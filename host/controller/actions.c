/* SPDX-License-Identifier: MIT
 *
 * actions.c - handles actions after they are logged: a table by action type. */
#include "controller/actions.h"

#include "context/history.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/dispatch.h"
#include "controller/plugins/model-request.h"
#include "exit-code.h"
#include "controller/turn.h"

#include <math.h>
#include <string.h>

/* ---- waiting for the user -------------------------------------------------- */

/* `asks`: the agent asked a question and is not finished; `text` is its message. */
void action_wait_for_user(struct conversation *c, bool asks, const char *text)
{
	if (history_user_since(c->log, request_event_count(c)))
		return; /* the user has sent another message in the meantime */
	if (FEATURES_ASK(wait_for_user, c, asks, text))
		return;
	if (asks)
		conversation_set_state(c, STATE_AWAITING_USER_INPUT, "");
	else
		conversation_rest(c, STATE_AWAITING_USER_INPUT, "");
}

/* ---- actions without a tool ------------------------------------------------ */

void action_answer(struct conversation *c, struct event *action, const char *type,
		   const char *content, json_object *extras)
{
	struct error err = ERROR_NONE;
	struct event *e = event_observation(type, action->source, action->id, content,
					    strlen(content), extras, &err);
	json_object *meta = event_tool_meta(action);

	if (e && meta)
		js_set(e->json, "tool_call_metadata", json_object_get(meta));
	conversation_log_event(c, e, &err);
}

static void on_think(struct conversation *c, struct event *e)
{
	action_answer(c, e, "think", "Your thought has been logged.", NULL);
}

static void on_finish(struct conversation *c, struct event *e)
{
	(void)e;
	turn_clear(c);
	conversation_rest(c, STATE_FINISHED, "");
}

static void on_reject(struct conversation *c, struct event *e)
{
	turn_clear(c);
	conversation_set_state(c, STATE_REJECTED, event_arg(e, "thought"));
}

/* A message that is a tool call asks the user. */
static void actions_on_message(struct conversation *c, struct event *e)
{
	if (!event_tool_meta(e))
		return;
	turn_clear(c); /* the other actions were planned without the answer */
	action_wait_for_user(c, true, "");
}

typedef void handle_fn(struct conversation *c, struct event *e);

/* Handlers of actions without a tool; unlisted types belong to a feature or have no
 * effect. */
static handle_fn *const handlers[EVENT_TYPE_COUNT] = {
	[ACTION_THINK] = on_think,
	[ACTION_FINISH] = on_finish,
	[ACTION_REJECT] = on_reject,
	[ACTION_MESSAGE] = actions_on_message,
};

static void actions_handle(struct conversation *c, struct event *e)
{
	if (handlers[e->type->id])
		handlers[e->type->id](c, e);
	else
		features_handle_action(c, e);
}

/* ---- from the gate to the log ---------------------------------------------- */

static void actions_run(struct conversation *c, struct call *call)
{
	turn_start(c, call);
	dispatch_call(c);
}

void action_resume(struct conversation *c, struct event *e)
{
	struct call *call = e->type->flags & EVENT_RUNNABLE ? call_new(c, e) : NULL;

	if (!(e->type->flags & EVENT_RUNNABLE))
		actions_handle(c, e);
	else if (!call)
		conversation_set_error(c, EXIT_FAILED, "%s", status_name(MT_ENOMEM));
	else if (!FEATURES_ASK(gate, c, call))
		actions_run(c, call);
}

void action_log_call(struct conversation *c, struct call *call)
{
	struct error err = ERROR_NONE;

	FEATURES_TELL(before_action, c, call->action);
	FEATURES_TELL(acted, c);
	if (FEATURES_ASK(gate, c, call))
		return;
	if (call_log(c, call, &err) < 0)
		call_free(call);
	else
		actions_run(c, call);
}

void action_log(struct conversation *c, struct event *e)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *kept = event_ref(e);
	struct call *call;

	if (e && (e->type->flags & EVENT_RUNNABLE)) {
		call = call_new(c, e);
		event_unref(e);
		if (call)
			action_log_call(c, call);
		else
			conversation_set_error(c, EXIT_FAILED, "%s",
					       status_name(MT_ENOMEM));
		return;
	}
	if (e)
		FEATURES_TELL(before_action, c, e);
	if (e && e->type->id != ACTION_MESSAGE)
		FEATURES_TELL(acted, c);
	if (conversation_log_event(c, e, &err) >= 0)
		actions_handle(c, kept);
}
