/* SPDX-License-Identifier: MIT
 *
 * turn.c - the turn of an agent: the actions planned from one reply, the pending call
 * and its approval. No other file writes these. */
#include "controller/turn-internal.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"

#include <string.h>

struct turn {
	struct call *call;       /* the pending one; NULL: none */
	int64_t uncommitted;     /* action that had no effect yet; -1: none */
};

/* ---- the pending call ---------------------------------------------------- */

struct turn *turn_new(void)
{
	struct turn *t = calloc(1, sizeof *t);

	if (t)
		t->uncommitted = -1;
	return t;
}

struct turn *turn_free(struct turn *t)
{
	if (t)
		call_free(t->call);
	free(t);
	return NULL;
}

struct call *turn_call(const struct conversation *c)
{
	return c->turn->call;
}

int64_t turn_pending(const struct conversation *c)
{
	return c->turn->call ? c->turn->call->id : -1;
}

bool turn_is_idle(const struct conversation *c)
{
	return !c->turn->call;
}

bool turn_is_running(const struct conversation *c)
{
	return c->turn->call && !c->turn->call->awaits_approval;
}

int64_t turn_action_of(const struct conversation *c, uint64_t number)
{
	const struct call *call = c->turn->call;

	if (call && !call->early && call->number == number)
		return call->id;
	return number < call_first_early ? (int64_t)number : -1;
}

bool turn_awaits_approval(const struct conversation *c)
{
	return c->turn->call && c->turn->call->awaits_approval;
}

static void drop_call(struct conversation *c)
{
	if (c->turn->call)
		call_cancel_early(c->turn->call, c->link);
	c->turn->call = call_free(c->turn->call);
}

void turn_start(struct conversation *c, struct call *call)
{
	drop_call(c);
	c->turn->call = call;
}

struct call *turn_suspend(struct conversation *c)
{
	return STEAL(c->turn->call);
}

struct call *turn_finish(struct conversation *c, int64_t id)
{
	return turn_pending(c) == id ? STEAL(c->turn->call) : NULL;
}

void turn_await_approval(struct conversation *c)
{
	c->turn->call->awaits_approval = true;
}

void turn_repeat(struct conversation *c, struct event *action)
{
	struct call *call = c->turn->call;

	event_unref(call->action);
	call->action = event_ref(action);
	call->id = action->id;
	call->awaits_approval = false;
}

int64_t turn_uncommitted(const struct conversation *c)
{
	return c->turn->uncommitted;
}

void turn_set_uncommitted(struct conversation *c, int64_t id)
{
	c->turn->uncommitted = id;
}

void turn_reset(struct conversation *c)
{
	drop_call(c);
	c->turn->uncommitted = -1;
}

void turn_interrupt(struct conversation *c)
{
	struct call *call = c->turn->call;
	bool ended;

	if (!turn_is_running(c) || call->action->source != SOURCE_AGENT)
		return;
	ended = call->ended; /* only work after its result can still run */
	call->interrupted = call->interrupted || !ended;
	FEATURES_TELL(interrupt, c);
	if (!ended && c->turn->call == call && call->number && c->link)
		runner_cancel(c->link, call->number);
}

/* ---- the plan ------------------------------------------------------------ */

void turn_drop_planned(struct planned_action *p)
{
	free(p->event);
	free(p->text);
	*p = (struct planned_action){ 0 };
}

bool turn_has_planned(const struct conversation *c)
{
	return c->agent->plan && c->agent->plan->next < c->agent->plan->count;
}

const struct llm_reply *turn_reply(const struct conversation *c)
{
	return c->agent->plan ? c->agent->plan->reply : NULL;
}

void turn_clear(struct conversation *c)
{
	struct plan *plan = c->agent->plan;

	if (plan) {
		for (size_t i = plan->next; i < plan->count; i++)
			turn_drop_planned(&plan->queue[i]);
		plan->count = plan->next = 0;
		plan->reply = llm_reply_free(plan->reply);
	}
	FEATURES_TELL(plan_dropped, c);
}

void turn_plan_free(struct conversation *c)
{
	turn_clear(c);
	free(c->agent->plan);
	c->agent->plan = NULL;
}

static int make_plan(struct agent_frame *agent, struct error *err)
{
	if (!agent->plan)
		agent->plan = calloc(1, sizeof *agent->plan);
	return agent->plan ? MT_OK : out_of_memory(err);
}

struct planned_action turn_next_planned(struct conversation *c)
{
	struct plan *plan = c->agent->plan;
	struct planned_action p = plan->queue[plan->next];

	plan->queue[plan->next++] = (struct planned_action){ 0 };
	return p;
}

int turn_plan_call(struct conversation *c, size_t call, struct error *err)
{
	const struct llm_reply *reply = turn_reply(c);

	if (!reply)
		return fail(err, MT_EINVAL,
			    "call %zu does not exist, because no model has replied",
			    call);
	if (call >= reply->call_count)
		return fail(err, MT_EINVAL,
			    "call %zu does not exist; the reply has %zu call%s", call,
			    reply->call_count, reply->call_count == 1 ? "" : "s");
	return turn_plan(c, PLAN_CALL, call, NULL, (struct mt_str){ 0 }, err);
}

int turn_plan(struct conversation *c, enum plan_type type, size_t argument,
	      const char *event, struct mt_str text, struct error *err)
{
	struct planned_action p = { .type = type, .call = argument, .wait = argument };
	struct plan *plan;

	if (make_plan(c->agent, err))
		return err->code;
	plan = c->agent->plan;
	if (plan->count == PLANNED_MAX)
		return fail(err, MT_ELIMIT, "more than %d actions in one response",
			    PLANNED_MAX);
	p.event = event ? strdup(event) : NULL;
	p.text = strndup(text.ptr ? text.ptr : "", text.len);
	if (!p.text || (event && !p.event)) {
		free(p.text);
		free(p.event);
		return MT_ENOMEM;
	}
	plan->queue[plan->count++] = p;
	return MT_OK;
}

int turn_set_reply(struct conversation *c, struct llm_reply *reply, struct error *err)
{
	int r = make_plan(c->agent, err);

	if (r) {
		llm_reply_free(reply);
		return r;
	}
	turn_clear(c);
	c->agent->plan->reply = reply;
	return MT_OK;
}

void turn_skip_planned(struct conversation *c, size_t count)
{
	while (count-- > 0 && turn_has_planned(c)) {
		struct planned_action p = turn_next_planned(c);

		turn_drop_planned(&p);
	}
	if (!turn_has_planned(c))
		turn_clear(c);
}
