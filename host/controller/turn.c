/* SPDX-License-Identifier: MIT
 *
 * turn.c - the turn of an agent: the actions planned from one reply, the action that
 * is pending, its call, and the wait for approval. Nothing else writes these. */
#include "controller/turn.h"

#include "controller/actions.h"
#include "controller/core.h"
#include "controller/parallel-calls.h"
#include "controller/plugin-host.h"
#include "log.h"
#include "tools/calls.h"

#include <string.h>

/** What an agent wants done, in order; a reply may give several. */
struct planned_action {
	enum plan_type type;
	size_t call;    /* PLAN_CALL: index in the reply */
	bool wait;      /* PLAN_MESSAGE: it waits for the user */
	char *event, *text; /* PLAN_ACTION: type of the event */
};

/** The actions planned from one reply, each agent's own. */
struct plan {
	struct llm_reply *reply; /* whose outputs are queued; NULL: none */
	struct planned_action queue[PLANNED_MAX];
	size_t count, next;
};

struct turn {
	int64_t pending;         /* runnable action without an observation; -1 */
	int64_t uncommitted;     /* action whose effect is still to come; -1 */
	bool awaiting_approval;  /* the pending action waits for the user */
	struct call call;        /* of the pending action, once it is dispatched */
};

/* ---- the pending action -------------------------------------------------- */

struct turn *turn_new(void)
{
	struct turn *t = calloc(1, sizeof *t);

	if (t)
		t->pending = t->uncommitted = -1;
	return t;
}

struct turn *turn_free(struct turn *t)
{
	if (t)
		call_clear(&t->call);
	free(t);
	return NULL;
}

int64_t turn_pending(const struct conversation *c)
{
	return c->turn->pending;
}

bool turn_is_idle(const struct conversation *c)
{
	return c->turn->pending < 0;
}

bool turn_is_running(const struct conversation *c)
{
	return c->turn->pending >= 0 && !c->turn->awaiting_approval;
}

bool turn_awaits_approval(const struct conversation *c)
{
	return c->turn->awaiting_approval;
}

void turn_start_action(struct conversation *c, int64_t id)
{
	c->turn->pending = id;
}

bool turn_finish_action(struct conversation *c, int64_t id)
{
	if (c->turn->pending != id)
		return false;
	c->turn->pending = -1;
	call_clear(&c->turn->call);
	return true;
}

void turn_await_approval(struct conversation *c)
{
	c->turn->awaiting_approval = true;
}

void turn_end_approval(struct conversation *c)
{
	c->turn->awaiting_approval = false;
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
	c->turn->pending = c->turn->uncommitted = -1;
	c->turn->awaiting_approval = false;
	call_clear(&c->turn->call);
}

void turn_set_call(struct conversation *c, struct call *call)
{
	call_clear(&c->turn->call);
	c->turn->call = *call;
	*call = (struct call){ 0 };
}

const struct tool *turn_tool(const struct conversation *c)
{
	return c->turn->call.tool;
}

/* ---- the plan ------------------------------------------------------------ */

static void drop_planned(struct planned_action *p)
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
			drop_planned(&plan->queue[i]);
		plan->count = plan->next = 0;
		plan->reply = llm_reply_free(plan->reply);
	}
	parallel_cancel(c);
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

int turn_plan_call(struct conversation *c, size_t call, struct error *err)
{
	const struct llm_reply *reply = turn_reply(c);

	if (!reply || call >= reply->call_count)
		return MT_EINVAL;
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
		return fail(err, MT_ELIMIT, "more than %d actions of one reply",
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

const struct llm_call *turn_planned_call(const struct conversation *c, size_t ahead,
					 size_t *ret_index)
{
	const struct plan *plan = c->agent->plan;
	const struct planned_action *p;

	if (!plan || plan->next + ahead >= plan->count)
		return NULL;
	p = &plan->queue[plan->next + ahead];
	if (p->type != PLAN_CALL || p->call >= plan->reply->call_count)
		return NULL;
	*ret_index = p->call;
	return &plan->reply->calls[p->call];
}

/* ---- from the plan to events --------------------------------------------- */

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

void turn_refuse(struct conversation *c, const char *why)
{
	const struct llm_reply *reply = turn_reply(c);
	const struct plan *plan = c->agent->plan;

	for (size_t i = plan ? plan->next : 0; reply && i < plan->count; i++) {
		const struct llm_call *call = &reply->calls[plan->queue[i].call];

		if (plan->queue[i].type == PLAN_CALL)
			turn_log_error(c, call->id, call->name, why);
	}
	turn_clear(c);
}

/* The reasoning of a reply goes with its first action. */
static int add_reasoning(struct conversation *c, struct event *e)
{
	const struct llm_reply *reply = turn_reply(c);

	if (!reply || !reply->reasoning || !*reply->reasoning)
		return MT_OK;
	return js_set_str(e->json, "reasoning_content", reply->reasoning);
}

/* Of a reply that was read back from the log. */
static const char masked_call[] =
	"The call was not made: its arguments contained a secret, which the log does not "
	"keep, and the process that knew it has ended. Make the call again.";

bool turn_call_is_masked(const struct llm_reply *reply, size_t n)
{
	return reply->masked && reply->masked[n];
}

static void do_call(struct conversation *c, size_t n)
{
	const struct llm_reply *reply = turn_reply(c);
	const struct llm_call *call = &reply->calls[n];
	struct error err = ERROR_NONE;
	const struct tool *tool = NULL;
	bool masked = turn_call_is_masked(reply, n);
	AUTO(event) struct event *e =
		masked ? NULL
		       : call_event(&c->agent->catalog, call->name, call->args,
				    call->args_len, n == 0 ? reply->text : "", &tool,
				    &err);

	if (!e || set_meta(c, e, call->id, tool->name) ||
	    (n == 0 && add_reasoning(c, e))) {
		c->agent->text_only = 0;
		turn_log_error(c, call->id, tool ? tool->name : call->name,
			       masked     ? masked_call
			       : err.code ? err.text
					  : "out of memory");
		return;
	}
	action_log(c, STEAL(e));
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
	struct error err = ERROR_NONE;
	struct event *e = message_event(p->text, strlen(p->text), p->wait, &err);

	if (e)
		add_reasoning(c, e);
	if (conversation_log_event(c, e, &err) >= 0 && p->wait)
		action_wait_for_user(c, false, p->text);
}

/* Take the next thing that the agent planned. */
void turn_take_planned(struct conversation *c)
{
	struct plan *plan = c->agent->plan;
	struct planned_action p = plan->queue[plan->next];

	plan->queue[plan->next++] = (struct planned_action){ 0 };
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
		c->agent->text_only = 0;
		turn_log_error(c, NULL, NULL, p.text);
		break;
	}
	drop_planned(&p);
	if (!turn_has_planned(c))
		turn_clear(c);
}

int turn_replan(struct conversation *c, struct llm_reply *reply, size_t done,
		struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true };
	const struct mt_in in = {
		.size = sizeof in, .what = MT_REPLIED, .effect = 1,
		.reply = (const struct mt_reply *)reply,
		.state = { c->agent->state_text, c->agent->state_text ? strlen(c->agent->state_text) : 0 },
	};
	struct plan *plan;
	int r = make_plan(c->agent, err);

	if (r) {
		llm_reply_free(reply);
		return r;
	}
	turn_clear(c);
	plan = c->agent->plan;
	plan->reply = reply;
	log_context(c->agent->plugin.component->plugin, c->agent->plugin.component->name,
		    NULL);
	r = agent->advance(plugin_host(), plugin_agent_out(), &x, &in);
	log_context(NULL, NULL, NULL);
	if (r)
		fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
		     x.error.code ? x.error.text : status_name(r));
	plugin_ctx_clear(&x);
	while (!r && done-- > 0 && plan->next < plan->count)
		drop_planned(&plan->queue[plan->next++]);
	if (!turn_has_planned(c))
		turn_clear(c);
	return r;
}
