/* SPDX-License-Identifier: MIT
 *
 * messages.c - user messages: from the frontend or a feature to the log. */
#include "conversation/messages.h"

#include "context/images.h"
#include "controller/actions.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/feature.h"
#include "controller/plugins/model-request.h"
#include "controller/step.h"
#include "controller/transitions.h"
#include "controller/turn.h"
#include "conversation/message-log.h"
#include "conversation/waiting-messages.h"
#include "log.h"

#include <string.h>

int conversation_say(struct conversation *c, const char *text, size_t len,
		     json_object *images, bool queue, struct error *err)
{
	bool held;

	if (c->closing)
		return fail(err, MT_EDENIED, "the conversation is being closed");
	if (images_check(images, err))
		return err->code;
	if (FEATURES_TRY(&held, before_message, c, text, len, images, queue, &held, err))
		return err->code;
	return held ? MT_OK : conversation_add_message(c, text, len, images, queue, err);
}

/* The message that ends a conversation, as in OpenHands. */
static bool is_exit(const char *text, size_t len)
{
	static const char word[] = "/exit";

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	while (len && strchr(" \t\r\n", *text))
		text++, len--;
	return len == sizeof word - 1 && memcmp(text, word, len) == 0;
}

/* Cancel running work; the agent finishes without another request. */
static int finish_for_user(struct conversation *c, struct error *err)
{
	conversation_cancel_work(c);
	conversation_settle(c, STATE_STOPPED);
	FEATURES_TELL(work_dropped, c);
	turn_set_uncommitted(c, -1);
	action_log(c, event_action("finish", SOURCE_AGENT, NULL, err));
	return err->code ? err->code : evlog_barrier(c->log, err);
}

/* A step starts when nothing blocks it. */
static bool step_will_start(const struct conversation *c)
{
	return (c->state == STATE_RUNNING && c->step_requested) ||
	       c->state == STATE_RATE_LIMITED || request_is_open(c) || !turn_is_idle(c) ||
	       FEATURES_ASK(is_busy, c);
}

/* Log a message that has no effect. A failed step or sync has reported its own error. */
static void check_step_started(const struct conversation *c, int64_t steps_before)
{
	if (conversation_steps(c) == steps_before && !step_will_start(c) &&
	    !evlog_is_lost(c->log))
		log_line(MT_LOG_WARNING, "controller",
			 "user message did not start a step: state=%s reason=%s",
			 state_name(c->state), c->reason);
}

/* The agent reads the message after the results of what is in progress. */
static int wait_for_results(struct conversation *c, const char *text, size_t len,
			    json_object *images, bool queue, struct error *err)
{
	if (waiting_messages_add(c, text, len, images, err))
		return err->code;
	if (!queue)
		turn_interrupt(c);
	step_run_ready(c);
	return state_is_resting(c->state) ? conversation_continue(c, err) : MT_OK;
}

int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, bool queue, struct error *err)
{
	int64_t steps = conversation_steps(c);
	bool leaves = is_exit(text, len);

	if (!leaves && waiting_messages_apply(c))
		return wait_for_results(c, text, len, images, queue, err);
	FEATURES_TELL(adding_message, c);
	if (turn_uncommitted(c) >= 0 &&
	    evlog_head(c->log, turn_uncommitted(c))->type->id == ACTION_FINISH)
		turn_set_uncommitted(c, -1); /* there is more work */
	if (!leaves)
		waiting_messages_refuse_calls(c);
	if (conversation_log_message(c, text, len, images, -1, err))
		return err->code;
	if (leaves)
		return finish_for_user(c, err);
	if (conversation_continue(c, err))
		return err->code;
	check_step_started(c, steps);
	/* the request has usually passed a barrier already */
	return conversation_barrier(c, err);
}

int conversation_correct(struct conversation *c, const char *text, size_t len,
			 struct error *err)
{
	json_object *args = js_new_object();

	if (js_set_strn(args, "content", text, len)) {
		json_object_put(args);
		return out_of_memory(err);
	}
	if (conversation_log_event(c,
				   event_action("message", SOURCE_ENVIRONMENT, args, err),
				   err) < 0)
		return err->code;
	FEATURES_TELL(after_message, c, false);
	return conversation_continue(c, err) ? err->code : conversation_barrier(c, err);
}
