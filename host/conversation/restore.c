/* SPDX-License-Identifier: MIT
 *
 * restore.c - restores the state, the pending action and the plan of a conversation from
 * its log. */
#include "conversation/open.h"

#include "context/history.h"
#include "controller/plugins/advance.h"
#include "controller/observations.h"
#include "exit-code.h"
#include "controller/features.h"
#include "controller/turn.h"
#include "conversation/usage-checkpoint.h"
#include "conversation/waiting-messages.h"
#include "events/confirmation.h"
#include "llm/models/models.h"

#include <string.h>

/* The usage so far: the sum over the replies in the log. */
static int restore_spent(struct conversation *c, struct error *err)
{
	struct usage_sums s;
	struct llm_metrics m = { .cost_known = true };
	const struct llm_metrics *sum;
	const char *model;
	double worked = 0;

	if (c->models) {
		if (usage_sums_open(&s, c->inherited_replies))
			return out_of_memory(err);
		usage_sums_read(&s, c->log);
		for (size_t n = 0; (model = llm_usage_totals_at(s.bill, n, &sum)); n++)
			llm_usage_totals_join(llm_models_usage(c->models), model, sum);
		m = s.total;
		worked = s.worked;
		usage_sums_close(&s);
	}
	FEATURES_TELL(restore_usage, c, &m);
	FEATURES_TELL(restore, c, &m, worked);
	return MT_OK;
}

/* Does the event name a state of the conversation, and not one of a subagent? */
static bool names_state(struct conversation *c, int64_t id)
{
	const struct evlog_head *head = evlog_head(c->log, id);
	AUTO(event) struct event *e = NULL;

	if (head->undone || head->type->id != OBSERVATION_AGENT_STATE_CHANGED)
		return false;
	e = evlog_event(c->log, id, NULL);
	return e && !js_get(event_args(e), "delegate");
}

/* Id of the newest event that names a state; -1: none. */
static int64_t last_state(struct conversation *c)
{
	int64_t id = evlog_count(c->log) - 1;

	while (id >= 0 && !names_state(c, id))
		id--;
	return id;
}

/* Restore the last state in the log, if it outlives a process. */
static void restore_state(struct conversation *c)
{
	int64_t id = last_state(c);
	AUTO(event) struct event *e = id >= 0 ? evlog_event(c->log, id, NULL) : NULL;
	int state = e ? state_find(event_arg(e, "agent_state")) : -1;

	if (state < 0 || !state_is_resting((enum agent_state)state))
		return;
	c->state = (enum agent_state)state;
	snprintf(c->reason, sizeof c->reason, "%s", event_arg(e, "reason"));
	if (c->state == STATE_ERROR)
		c->exit_code = FEATURES_ASK(exit_code_of, c->reason);
}

static bool restore_answered(struct conversation *c, int64_t action)
{
	for (int64_t id = evlog_count(c->log) - 1; id > action; id--)
		if (evlog_head(c->log, id)->cause == action &&
		    !evlog_head(c->log, id)->type->is_action)
			return true;
	return false;
}

/* A call by the code of another action: that action is handled instead. */
static bool is_nested(struct conversation *c, int64_t id)
{
	AUTO(event) struct event *e = NULL;

	if (evlog_head(c->log, id)->has_call)
		return false;
	e = evlog_event(c->log, id, NULL);
	return e && event_caller(e);
}

/* The newest action, if it has to be handled. */
static int64_t newest_action(struct conversation *c)
{
	for (int64_t id = evlog_count(c->log) - 1; id >= c->agent->start; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);
		int64_t begin = evlog_delegation_begin(c->log, id);

		if (begin >= 0)
			return begin;
		if (head->type->id == ACTION_SYSTEM)
			continue; /* in an imported log it may come late */
		if ((head->type->flags & EVENT_RUNNABLE) && is_nested(c, id))
			continue;
		if (head->type->is_action && !head->undone &&
		    head->source == SOURCE_AGENT && head->type->id != ACTION_MESSAGE)
			return id;
		if (head->type->is_action && !head->undone &&
		    (head->type->flags & EVENT_RUNNABLE))
			return id;
	}
	return -1;
}

/* Did the event come from an imported file? A record follows the last of these events. */
static bool is_imported(struct conversation *c, int64_t id)
{
	for (; id < evlog_count(c->log); id++) {
		AUTO(json) json_object *end =
			evlog_record_after(c->log, id, "imported", NULL);

		if (end)
			return true;
	}
	return false;
}

static bool restore_ended_by(struct conversation *c, int64_t action)
{
	return c->state != STATE_LOADING && last_state(c) > action;
}

/* An action that was not handled. If it was imported or its call was sent, the effect is
 * unknown; otherwise it is handled when the conversation continues. */
static int restore_action(struct conversation *c, struct error *err)
{
	int64_t id = newest_action(c);
	AUTO(event) struct event *e = NULL;
	bool done;

	if (id <= 0 || restore_answered(c, id))
		return MT_OK;
	e = evlog_event(c->log, id, err);
	if (!e)
		return err->code;
	if (FEATURES_TRY(&done, restore_action, c, e, &done, err) || done)
		return err->code;
	if (restore_ended_by(c, id) && !evlog_dispatched(c->log, id))
		return MT_OK;
	if (is_imported(c, id)) {
		observation_log_failure(
			c, e, "",
			"The imported conversation does not contain a result of this "
			"call. The call was not run again; it may have taken effect.");
		return MT_OK;
	}
	if (!evlog_dispatched(c->log, id)) {
		turn_set_uncommitted(c, id);
		return MT_OK;
	}
	observation_log_failure(
		c, e, "",
		"The call was interrupted when the process ended; it may "
		"have taken effect. The shell is new: working directory and variables "
		"are as at the start.");
	return MT_OK;
}

/* The answer to a confirmation has not changed the state yet. */
static void restore_rejection(struct conversation *c)
{
	int64_t state = last_state(c), id = evlog_count(c->log) - 1;
	AUTO(event) struct event *e = NULL;
	AUTO(event) struct event *action = NULL;

	if (c->state == STATE_AWAITING_USER_CONFIRMATION && turn_is_idle(c))
		c->state = STATE_LOADING; /* before its action was logged */
	while (id > state &&
	       evlog_head(c->log, id)->type->id != OBSERVATION_USER_REJECTED)
		id--;
	e = state >= 0 && id > state ? evlog_event(c->log, state, NULL) : NULL;
	if (!e || strcmp(event_arg(e, "agent_state"), "user_rejected") != 0)
		return;
	action = evlog_event(c->log, evlog_head(c->log, id)->cause, NULL);
	if (action && !*js_str(action->json, "reject_reason", ""))
		conversation_set_state(c, STATE_AWAITING_USER_INPUT,
				       "the user rejected the action");
}

/* The user rejected a waiting action; a denial by a hook concerns only its call. */
static bool is_rejection(struct conversation *c, const struct evlog_head *head)
{
	AUTO(event) struct event *action = NULL;
	bool yes;

	if (head->undone || head->type->id != OBSERVATION_USER_REJECTED ||
	    head->cause < 0)
		return false;
	action = evlog_event(c->log, head->cause, NULL);
	return !action || (event_is_answer(action, &yes) && !yes);
}

/* The next event after `id` that is not of a delegate. */
static int64_t next_own(struct conversation *c, int64_t id)
{
	int64_t end = evlog_delegation_end(c->log, id);

	return end < 0 ? id + 1 : end;
}

/* The rest of a plan is dropped when the conversation ends, when the user rejects one of
 * its actions, and when it asked the user. */
static bool ended_since(struct conversation *c, int64_t id, int64_t until)
{
	for (; id < until; id = next_own(c, id)) {
		const struct evlog_head *head = evlog_head(c->log, id);
		AUTO(event) struct event *e = NULL;
		int state;

		if (is_rejection(c, head))
			return true;
		if (!head->undone && head->has_call && head->type->id == ACTION_MESSAGE)
			return true;
		if (head->undone || head->type->id != OBSERVATION_AGENT_STATE_CHANGED)
			continue;
		e = evlog_event(c->log, id, NULL);
		state = e ? state_find(event_arg(e, "agent_state")) : -1;
		if (state == STATE_FINISHED || state == STATE_REJECTED ||
		    state == STATE_STOPPED || state == STATE_ERROR)
			return true;
	}
	return false;
}

/* The answer to a confirmation, which is not a new action. */
static bool is_copy(struct conversation *c, int64_t id)
{
	AUTO(event) struct event *e =
		evlog_head(c->log, id)->has_call ? evlog_event(c->log, id, NULL) : NULL;
	bool yes;

	return e && event_is_answer(e, &yes);
}

/* The newest reply to the active agent, before the event `until`; owned. NULL: none,
 * or `err`. */
static json_object *newest_reply(struct conversation *c, int64_t until, struct error *err)
{
	int64_t n = evlog_replies(c->log) - 1;

	if (!*evlog_last_reply(c->log))
		return NULL; /* the plan was undone */
	for (; n >= 0; n--) {
		AUTO(json) json_object *record = evlog_reply_at(c->log, n, err);
		int64_t before = js_int(record, "before", 0);

		if (!record && err->code == MT_ENOTFOUND) { /* the reply is damaged */
			*err = (struct error)ERROR_NONE;
			continue;
		}
		if (!record || before < c->agent->start)
			return NULL;
		if (before <= until &&
		    evlog_delegation_owner(c->log, before) == c->agent->delegation)
			return STEAL(record);
	}
	return NULL;
}

/* Is this event a call of a reply, as first logged? */
static bool is_planned(struct conversation *c, int64_t id)
{
	const struct evlog_head *head = evlog_head(c->log, id);

	if (head->source != SOURCE_AGENT || head->undone ||
	    head->type->id == ACTION_SYSTEM)
		return false;
	if (!head->type->is_action)
		return head->cause < 0 && head->type->id == OBSERVATION_ERROR;
	return !is_copy(c, id) && !is_nested(c, id);
}

/* Calls of the newest reply that were not logged are planned again, unless the reply was
 * imported. An event at `until`, if there is one, gave work to a delegate that has not
 * ended. */
static int restore_queue(struct conversation *c, int64_t until, struct error *err)
{
	AUTO(json) json_object *record = newest_reply(c, until, err);
	struct llm_reply *reply;
	int64_t before;
	size_t done = 0;

	if (!record)
		return err->code;
	before = js_int(record, "before", 0);
	if (before < 0)
		before = 0;
	if (ended_since(c, before, until) || is_imported(c, before))
		return MT_OK;
	reply = llm_reply_from_json(record, err);
	if (!reply)
		return err->code;
	for (int64_t id = before; id <= until && id < evlog_count(c->log);
	     id = next_own(c, id))
		done += is_planned(c, id);
	return advance_reply(c, reply, done, err);
}

/* Restore one agent of the stack, the first one first. */
static int restore_level(struct conversation *c, int64_t until, struct error *err)
{
	FEATURES_TELL(restore_agent, c);
	return restore_queue(c, until, err);
}

int conversation_restore(struct conversation *c, struct error *err)
{
	size_t len;
	const char *kept = evlog_state(c->log, c->agent->plugin.component->name, &len);
	int r;

	if (kept)
		c->agent->state_text = strndup(kept, len);
	restore_state(c);
	r = restore_spent(c, err);
	if (r)
		return r;
	r = FEATURES_ASK(resume, c, err);
	if (!r)
		r = features_restore_agents(c, restore_level, err);
	if (!r)
		r = restore_action(c, err);
	if (r)
		return r;
	restore_rejection(c);
	return waiting_messages_restore(c, err);
}
