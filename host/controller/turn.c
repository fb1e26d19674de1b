/* SPDX-License-Identifier: MIT
 *
 * turn.c - the turn of an agent: the actions planned from one reply, the pending call and
 * its wait for approval. Nothing else writes these. */
#include "controller/turn.h"

#include "controller/actions.h"
#include "controller/core.h"
#include "controller/feature.h"
#include "controller/parallel-calls.h"
#include "controller/plugins/plugin-host.h"
#include "log.h"
#include "tools/calls.h"

#include <string.h>

/** An action planned by an agent; a reply may result in several. */
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

/* Maximum number of consecutive corrections of replies with a call in another form: the
 * model may be unable to do better, or may not mean a call. */
enum { CORRECTIONS_MAX = 3, GUESSES_MAX = 1 };

struct turn {
	struct call *call;       /* the pending one; NULL: none */
	int64_t uncommitted;     /* action whose effect is still to come; -1 */
	struct parallel_calls parallel;
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
	if (t) {
		call_free(t->call);
		parallel_free(&t->parallel);
	}
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

bool turn_awaits_approval(const struct conversation *c)
{
	return c->turn->call && c->turn->call->awaits_approval;
}

static void drop_call(struct conversation *c)
{
	if (c->turn->call)
		parallel_drop(c, c->turn->call);
	c->turn->call = call_free(c->turn->call);
}

void turn_start(struct conversation *c, struct call *call)
{
	drop_call(c);
	c->turn->call = call;
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

struct parallel_calls *turn_parallel(const struct conversation *c)
{
	return &c->turn->parallel;
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

static const struct llm_reply *reply_of(const struct conversation *c)
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
	const struct llm_reply *reply = reply_of(c);

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

/* ---- from the plan to events --------------------------------------------- */

static int set_meta(struct conversation *c, struct event *e, const char *call_id,
		    const char *function)
{
	const struct llm_reply *reply = reply_of(c);

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

/* The reasoning of a reply goes with its first action. */
static int add_reasoning(struct conversation *c, struct event *e)
{
	const struct llm_reply *reply = reply_of(c);

	if (!reply || !reply->reasoning || !*reply->reasoning)
		return MT_OK;
	return js_set_str(e->json, "reasoning_content", reply->reasoning);
}

/* The action of call `n` of the reply. *ret_name: of the tool, as far as it is known. */
static struct event *event_of(struct conversation *c, size_t n, const char **ret_name,
			      struct error *err)
{
	const struct llm_reply *reply = reply_of(c);
	const struct llm_call *call = &reply->calls[n];
	const struct tool *tool = NULL;
	AUTO(event) struct event *e = NULL;

	*ret_name = call->name;
	if (reply->masked && reply->masked[n]) { /* it was read back from the log */
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
	if (set_meta(c, e, call->id, tool->name) || (n == 0 && add_reasoning(c, e))) {
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
	e = event_of(c, p->call, &name, NULL);
	return e && (e->type->flags & EVENT_RUNNABLE) ? call_new(c, e) : NULL;
}

static void do_call(struct conversation *c, size_t n)
{
	struct error err = ERROR_NONE;
	struct call *early = parallel_take(c, n);
	struct event *e;
	const char *name;

	if (early) {
		action_log_call(c, early);
		return;
	}
	e = event_of(c, n, &name, &err);
	if (e) {
		action_log(c, e);
		return;
	}
	agent_acted(c->agent);
	turn_log_error(c, reply_of(c)->calls[n].id, name,
		       err.code ? err.text : "out of memory");
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

/* The answer to a call that the model wrote in another form; NULL: none, or the model
 * has had it often enough. */
static const char *correction_of(const struct conversation *c)
{
	const struct llm_reply *reply = reply_of(c);
	unsigned max = reply && reply->is_guess ? GUESSES_MAX : CORRECTIONS_MAX;

	return reply && c->agent->corrected < max ? reply->correction : NULL;
}

static void do_message(struct conversation *c, const struct planned_action *p)
{
	const char *correction = p->wait ? correction_of(c) : NULL;
	struct error err = ERROR_NONE;
	struct event *e =
		message_event(p->text, strlen(p->text), p->wait && !correction, &err);

	if (e)
		add_reasoning(c, e);
	if (conversation_log_event(c, e, &err) < 0)
		return;
	if (correction) {
		c->agent->corrected++;
		turn_log_error(c, NULL, NULL, correction);
	} else if (p->wait) {
		action_wait_for_user(c, false, p->text);
	}
}

void turn_refuse(struct conversation *c, const char *why)
{
	const struct llm_reply *reply = reply_of(c);
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

void turn_interrupt(struct conversation *c)
{
	struct call *call = c->turn->call;

	if (!turn_is_running(c) || call->ended || call->action->source != SOURCE_AGENT)
		return;
	call->interrupted = true;
	features_interrupt(c);
	if (c->turn->call == call && call->number && c->link)
		runner_cancel(c->link, call->number);
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
		agent_acted(c->agent);
		turn_log_error(c, NULL, NULL, p.text);
		break;
	}
	drop_planned(&p);
	if (!turn_has_planned(c))
		turn_clear(c);
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

int turn_replan(struct conversation *c, struct llm_reply *reply, size_t done,
		struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true,
			    .replied = true };
	const struct mt_in in = {
		.size = sizeof in, .what = MT_REPLIED, .effect = 1,
		.reply = (const struct mt_reply *)reply,
		.state = { c->agent->state_text, c->agent->state_text ? strlen(c->agent->state_text) : 0 },
	};
	struct guard_call outer;
	struct plan *plan;
	int r = turn_set_reply(c, reply, err);

	if (r)
		return r;
	plan = c->agent->plan;
	log_context(c->agent->plugin.component->plugin, c->agent->plugin.component->name,
		    NULL);
	outer = plugin_component_enter(x.part, "advance");
	r = agent->advance(plugin_host(), plugin_agent_out(), &x, &in);
	guard_leave(outer);
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
