/* SPDX-License-Identifier: MIT
 *
 * turn-actions.c - executes the plan of the agent: turns planned actions into events. */
#include "controller/turn-actions.h"

#include "controller/actions.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/turn-internal.h"
#include "tools/calls.h"

#include <string.h>

static int set_meta(struct conversation *c, struct event *e, const char *call_id,
		    const char *function)
{
	const struct llm_reply *reply = turn_reply(c);

	if (!reply)
		return MT_OK;
	return event_set_tool_meta(e, function, call_id, reply->response_id,
				   (int)reply->call_count);
}

void turn_log_error(struct conversation *c, const char *call_id, const char *function,
		    const char *text)
{
	struct error err = ERROR_NONE;
	struct event *e = event_observation("error", SOURCE_AGENT, -1, text, strlen(text),
					    NULL, &err);

	if (e && call_id && set_meta(c, e, call_id, function))
		e = event_unref(e);
	conversation_log_event(c, e, &err);
}

/* The first action of a reply gets the reasoning. */
static int turn_actions_add_reasoning(struct conversation *c, struct event *e)
{
	const struct llm_reply *reply = turn_reply(c);

	if (!reply || !reply->reasoning || !*reply->reasoning)
		return MT_OK;
	return js_set_str(e->json, "reasoning_content", reply->reasoning);
}

/* The action of call `n` of the reply. *ret_name: name of the tool, if known. */
static struct event *turn_actions_event_of(struct conversation *c, size_t n,
					   const char **ret_name, struct error *err)
{
	const struct llm_reply *reply = turn_reply(c);
	const struct llm_call *call = &reply->calls[n];
	const struct tool *tool = NULL;
	AUTO(event) struct event *e = NULL;

	*ret_name = call->name;
	if (reply->masked && reply->masked[n]) { /* the reply was restored from the log */
		fail(err, MT_EDENIED, "%s", call_is_masked);
		return NULL;
	}
	if (reply->refusals && reply->refusals[n]) {
		fail(err, MT_EINVAL, "%s", reply->refusals[n]);
		return NULL;
	}
	e = call_event(&c->agent->catalog, call->name, call->args, call->args_len,
		       n == 0 ? reply->text : "", &tool, err);
	if (tool)
		*ret_name = tool->name;
	if (!e)
		return NULL;
	if (set_meta(c, e, call->id, tool->name) ||
	    (n == 0 && turn_actions_add_reasoning(c, e))) {
		out_of_memory(err);
		return NULL;
	}
	return STEAL(e);
}

struct call *turn_planned_call(struct conversation *c, size_t ahead, size_t *ret_index)
{
	const struct plan *plan = c->agent->plan;
	AUTO(event) struct event *e = NULL;
	const struct planned_action *p;
	const char *name;

	if (!plan || plan->next + ahead >= plan->count)
		return NULL;
	p = &plan->queue[plan->next + ahead];
	if (p->type != PLAN_CALL || p->call >= plan->reply->call_count)
		return NULL;
	*ret_index = p->call;
	e = turn_actions_event_of(c, p->call, &name, NULL);
	return e && (e->type->flags & EVENT_RUNNABLE) ? call_new(c, e) : NULL;
}

static void do_call(struct conversation *c, size_t n)
{
	struct error err = ERROR_NONE;
	struct call *early = FEATURES_ASK(early_call, c, n);
	struct event *e;
	const char *name;

	if (early) {
		action_log_call(c, early);
		return;
	}
	e = turn_actions_event_of(c, n, &name, &err);
	if (e) {
		action_log(c, e);
		return;
	}
	FEATURES_TELL(acted, c);
	turn_log_error(c, turn_reply(c)->calls[n].id, name, error_text(&err));
}

static void do_action(struct conversation *c, const struct planned_action *p)
{
	struct error err = ERROR_NONE;
	json_object *args = p->text[0] ? js_parse_object(p->text, strlen(p->text), &err)
				       : json_object_new_object();
	struct event *e = args ? event_action(p->event, SOURCE_AGENT, args, &err) : NULL;

	if (e)
		action_log(c, e);
	else
		turn_log_error(c, NULL, NULL, err.text);
}

static void do_message(struct conversation *c, const struct planned_action *p)
{
	const struct llm_reply *reply = turn_reply(c);
	const char *correction =
		p->wait && reply ? FEATURES_ASK(correct_reply, c, reply) : NULL;
	struct error err = ERROR_NONE;
	struct event *e = call_message_event(p->text, strlen(p->text),
					     p->wait && !correction, &err);

	if (e)
		turn_actions_add_reasoning(c, e);
	if (conversation_log_event(c, e, &err) < 0)
		return;
	if (correction)
		turn_log_error(c, NULL, NULL, correction);
	else if (p->wait)
		action_wait_for_user(c, false, p->text);
}

void turn_refuse(struct conversation *c, const char *why)
{
	const struct llm_reply *reply = turn_reply(c);
	const struct plan *plan = c->agent->plan;

	for (size_t i = plan ? plan->next : 0; reply && i < plan->count; i++) {
		struct planned_action p = plan->queue[i];

		p.wait = false;
		if (p.type == PLAN_CALL)
			turn_log_error(c, reply->calls[p.call].id,
				       reply->calls[p.call].name, why);
		else if (p.type == PLAN_MESSAGE)
			do_message(c, &p);
	}
	turn_clear(c);
}

void turn_take_planned(struct conversation *c)
{
	struct planned_action p = turn_next_planned(c);

	switch (p.type) {
	case PLAN_CALL:
		do_call(c, p.call);
		break;
	case PLAN_ACTION:
		do_action(c, &p);
		break;
	case PLAN_MESSAGE:
		do_message(c, &p);
		break;
	case PLAN_ERROR:
		FEATURES_TELL(acted, c);
		turn_log_error(c, NULL, NULL, p.text);
		break;
	}
	turn_drop_planned(&p);
	if (!turn_has_planned(c))
		turn_clear(c);
}
