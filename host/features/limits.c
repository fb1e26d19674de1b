/* SPDX-License-Identifier: MIT
 *
 * limits.c - tracks the usage of a conversation and its agents, stops them at their
 * limits, and persists the account of each agent. */
#include "features/limits.h"

#include "controller/agents.h"
#include "controller/observations.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/transitions.h"
#include "controller/conversation-parts.h"
#include "controller/turn.h"
#include "conversation/conversation.h"
#include "log.h"

#include <math.h>
#include <string.h>

/* Of a conversation. */
struct work_clock {
	uint64_t since;    /* when the working time was last updated */
	uv_timer_t *timer; /* expires with the time limit; NULL: none */
	bool working;
	bool unpriced;     /* a reply without a price was reported */
	int64_t reply_tokens; /* of the newest reply to an agent */
};

static struct work_clock *clock_of(const struct conversation *c)
{
	return feature_state(c, &limits_feature);
}

struct budget *limits_budget(const struct agent_frame *agent)
{
	return feature_agent_state(agent, &limits_feature);
}

static struct budget *own_budget(const struct conversation *c)
{
	return limits_budget(conversation_agent(c));
}

/* The account of the whole conversation is that of its first agent. */
static struct budget *whole_budget(const struct conversation *c)
{
	return limits_budget(agents_first(c));
}

static const char record_name[] = "mortise/account"; /* name of its state record */

static void configure(struct budget *a, const struct config *config, const char *section,
		      const char *above)
{
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const char *name = budget_limit_option((enum limit)i);
		const char *value = config_get(config, section, name);
		const char *inherited = above ? config_get(config, above, name) : NULL;
		double max = 0;

		/* Inherit an equal limit: otherwise the parent's limit is reached
		 * first, and after it has been raised, this one would end the
		 * subagent. */
		if (!value || (inherited && strcmp(value, inherited) == 0))
			continue;
		if (i == LIMIT_COST)
			max = strtod(config_get(config, section, name), NULL);
		else
			max = (double)config_int(config, section, name);
		budget_set_limit(a, (enum limit)i, i == LIMIT_TIME ? max / 1000 : max);
	}
}

static int limits_open_agent(struct conversation *c, struct agent_frame *agent,
			     struct error *err)
{
	struct budget *own = limits_budget(agent);

	(void)err;
	if (agent->above)
		own->parent = limits_budget(agent->above);
	configure(own, conversation_config(c), agent->section,
		  agent->above ? agents_first(c)->section : NULL);
	return MT_OK;
}

/* ---- spending ---------------------------------------------------------- */

static bool limits_works(enum agent_state state)
{
	return !state_is_resting(state) && state != STATE_LOADING;
}

static void update_clock(struct conversation *c)
{
	struct work_clock *w = clock_of(c);
	uint64_t now = uv_hrtime();

	if (w->working)
		budget_spend(own_budget(c), LIMIT_TIME, (double)(now - w->since) / 1e9);
	w->since = now;
	w->working = limits_works(conversation_state(c));
}

static void on_usage(struct conversation *c, const struct llm_usage *usage, bool of_agent)
{
	struct work_clock *w = clock_of(c);
	int64_t tokens = (usage->input > 0 ? usage->input : 0) +
			 (usage->output > 0 ? usage->output : 0);

	if (of_agent)
		w->reply_tokens = tokens;
	budget_spend(own_budget(c), LIMIT_TOKENS, (double)tokens);
	budget_spend(own_budget(c), LIMIT_COST, usage->cost);
	if (usage->cost >= 0 || whole_budget(c)->quotas[LIMIT_COST].max <= 0 ||
	    w->unpriced)
		return;
	w->unpriced = true;
	conversation_notice(
		c, MT_LOG_WARNING,
		"the price of %s is unknown, so max_budget does not count it; set "
		"input_cost_per_token and output_cost_per_token, or max_tokens",
		conversation_agent(c)->llm ? llm_name(conversation_agent(c)->llm)
					   : "a reply");
}

void limits_charge(struct conversation *c, const struct llm_metrics *m)
{
	budget_spend(own_budget(c), LIMIT_COST, m->cost);
	budget_spend(own_budget(c), LIMIT_TOKENS, (double)m->input + (double)m->output);
	budget_spend(own_budget(c), LIMIT_ITERATIONS, (double)m->calls);
}

static int64_t calls_left(const struct conversation *c)
{
	int64_t left = INT64_MAX;

	for (const struct budget *a = own_budget(c); a; a = a->parent) {
		const struct quota *m = &a->quotas[LIMIT_CALLS];

		if (m->max > 0 && (double)left > m->max - m->used)
			left = (int64_t)(m->max - m->used);
	}
	return left;
}

int64_t conversation_steps(const struct conversation *c)
{
	return (int64_t)whole_budget(c)->quotas[LIMIT_ITERATIONS].used;
}

static void on_step(struct conversation *c)
{
	budget_spend(own_budget(c), LIMIT_ITERATIONS, 1);
	log_line(MT_LOG_INFO, "controller",
		 "step level=%u local=%.0f global=%lld events=%lld", agents_waiting(c),
		 own_budget(c)->quotas[LIMIT_ITERATIONS].used,
		 (long long)conversation_steps(c),
		 (long long)evlog_count(conversation_log(c)));
}

/* Log the working time up to a reply with the reply. */
static int before_reply(struct conversation *c, json_object *record)
{
	update_clock(c);
	return js_set_number(record, "worked", whole_budget(c)->quotas[LIMIT_TIME].used);
}

/* The usage so far, in V0's form for actions. */
static void limits_before_action(struct conversation *c, struct event *e)
{
	const struct llm_usage_totals *bill = conversation_bill(c);
	const struct llm_metrics *m = bill ? llm_usage_totals_sum(bill) : NULL;
	json_object *o, *u;
	double budget = whole_budget(c)->quotas[LIMIT_COST].max;

	if (!m || !conversation_agent(c)->llm)
		return;
	o = js_new_object();
	u = js_new_object();
	js_set_number(o, "accumulated_cost", m->cost);
	js_set_number(o, "max_budget_per_task", budget > 0 ? budget : NAN);
	js_set_str(u, "model", llm_name(conversation_agent(c)->llm));
	js_set_int(u, "prompt_tokens", m->input);
	js_set_int(u, "completion_tokens", m->output);
	js_set_int(u, "cache_read_tokens", m->cache_read);
	js_set_int(u, "cache_write_tokens", m->cache_write);
	js_set_int(u, "context_window",
		   llm_context_window(conversation_agent(c)->llm) > 0
			   ? llm_context_window(conversation_agent(c)->llm)
			   : 0);
	js_set_int(u, "per_turn_token", clock_of(c)->reply_tokens);
	js_set(o, "accumulated_token_usage", u);
	js_set(e->json, "llm_metrics", o);
}

/* ---- stopping ---------------------------------------------------------- */

bool limits_reached(struct conversation *c, unsigned which, char *text, size_t room)
{
	update_clock(c);
	return budget_account_reached(own_budget(c), which, text, room);
}

static void limits_stop(struct conversation *c, const char *text)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf said = STRBUF(1024);

	strbuf_addf(&said, "The task was stopped by a limit. %s", text);
	conversation_log_event(c,
			       event_observation("error", SOURCE_ENVIRONMENT, -1,
						 said.text, said.len, NULL, &err),
			       &err);
	limits_log(c);
	conversation_set_error(c, EXIT_LIMIT, "%s", text);
}

/* The call of an action is not made, or its result not awaited, because of a limit. */
static void limits_stop_call(struct conversation *c, struct event *action,
			     const char *text)
{
	AUTO(strbuf) struct strbuf said = STRBUF(1024);
	bool left = evlog_dispatched(conversation_log(c), action->id);

	strbuf_addf(&said, "The call was not %s: the task was stopped by a limit. %s",
		    left ? "finished" : "made", text);
	observation_log_failure(c, action, "", said.text);
	limits_log(c);
	conversation_set_error(c, EXIT_LIMIT, "%s", text);
}

/* ---- the alarm ---------------------------------------------------------- */

/* Seconds until the first limit of working time is reached. */
static double limits_time_left(const struct budget *a)
{
	double left = 1e9;

	for (; a; a = a->parent) {
		const struct quota *m = &a->quotas[LIMIT_TIME];

		if (m->max > 0 && m->max - m->used < left)
			left = m->max - m->used;
	}
	return left;
}

/* A pending call gets its observation; a request or a hook none. */
static void time_is_over(struct conversation *c, const char *text)
{
	conversation_cancel_work(c);
	if (turn_is_running(c))
		limits_stop_call(c, turn_call(c)->action, text);
	else if (conversation_state(c) != STATE_ERROR &&
		 !state_is_resting(conversation_state(c)))
		limits_stop(c, text);
}

static void start_timer(struct conversation *c);

static void on_alarm(uv_timer_t *timer)
{
	struct conversation *c = timer->data;
	char text[256];

	if (conversation_is_closing(c) || !clock_of(c)->working)
		return;
	if (limits_reached(c, 1u << LIMIT_TIME, text, sizeof text))
		time_is_over(c, text);
	else
		start_timer(c);
}

static void start_timer(struct conversation *c)
{
	struct work_clock *w = clock_of(c);
	double left = limits_time_left(whole_budget(c));

	if (!w->working || left >= 1e9) {
		if (w->timer)
			uv_timer_stop(w->timer);
		return;
	}
	if (!w->timer) {
		w->timer = calloc(1, sizeof *w->timer);
		if (!w->timer)
			return; /* it is checked before each call anyway */
		uv_timer_init(conversation_loop(c), w->timer);
		uv_unref((uv_handle_t *)w->timer);
		w->timer->data = c;
	}
	uv_update_time(conversation_loop(c));
	uv_timer_start(w->timer, on_alarm, left > 0 ? (uint64_t)(left * 1000) + 1 : 1, 0);
}

static void on_alarm_closed(uv_handle_t *handle)
{
	free(handle);
}

static void limits_release(struct conversation *c)
{
	struct work_clock *w = clock_of(c);

	if (w->timer)
		uv_close((uv_handle_t *)w->timer, on_alarm_closed);
	w->timer = NULL;
}

/* ---- what outlives the process ----------------------------------------- */

void limits_log(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *record = js_new_object();
	AUTO(json) json_object *account = budget_json(whole_budget(c));

	if (js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", record_name) ||
	    js_set_str(record, "text", js_text(account, NULL)) ||
	    evlog_record(conversation_log(c), record, &err))
		log_line(MT_LOG_WARNING, "controller", "could not log the usage: %s",
			 error_text(&err));
}

/* The numbers of calls that were sent and of steps with a reply, counted from the log. */
static void recount(struct conversation *c)
{
	struct quota *calls = &whole_budget(c)->quotas[LIMIT_CALLS];
	struct quota *steps = &whole_budget(c)->quotas[LIMIT_ITERATIONS];
	double replies = (double)(evlog_replies(conversation_log(c)) -
				  conversation_inherited_replies(c)),
	       left = 0;

	for (int64_t id = 0; conversation_inherited_replies(c) == 0 &&
			     id < evlog_count(conversation_log(c));
	     id++)
		left += evlog_head(conversation_log(c), id)->dispatched;
	if (calls->used < left)
		calls->used = left;
	if (steps->used < replies)
		steps->used = replies;
}

/* An agent that was stopped by a limit continues if the user requests it. */
static void raise_limits(struct conversation *c, struct budget *a)
{
	if (budget_raise(a))
		limits_log(c);
}

static void limits_restore(struct conversation *c, const struct llm_metrics *sum,
			   double worked)
{
	size_t len;
	const char *text = evlog_state(conversation_log(c), record_name, &len);
	AUTO(json) json_object *o = text ? js_parse_object(text, len, NULL) : NULL;
	struct quota *meters = whole_budget(c)->quotas;

	if (o)
		budget_from_json(whole_budget(c), o);
	for (size_t i = 0; conversation_inherited_replies(c) > 0 && i < LIMIT_COUNT; i++)
		meters[i].used = 0; /* the usage of another conversation */
	recount(c);
	meters[LIMIT_COST].used = sum->cost;
	meters[LIMIT_TOKENS].used = (double)sum->input + (double)sum->output;
	if (conversation_inherited_replies(c) < evlog_replies(conversation_log(c)) &&
	    meters[LIMIT_TIME].used < worked)
		meters[LIMIT_TIME].used = worked;
	if (conversation_exit_code(c) == EXIT_LIMIT) { /* resuming raises the limits */
		budget_account_reached(whole_budget(c), LIMITS_STEP | LIMITS_CALL, NULL,
				       0);
		raise_limits(c, whole_budget(c));
	}
}

static void before_state(struct conversation *c, enum agent_state next)
{
	if (conversation_state(c) == STATE_ERROR && next == STATE_RUNNING &&
	    !conversation_is_headless(c))
		raise_limits(c, own_budget(c));
	update_clock(c);
	clock_of(c)->working = limits_works(next);
	start_timer(c);
}

bool limits_stopped_all(const struct conversation *c)
{
	return budget_was_hit(whole_budget(c));
}

/* Restore the usage of a delegate from its replies. */
static void restore_agent(struct conversation *c)
{
	const struct agent_frame *agent = conversation_agent(c);
	struct evlog *log = conversation_log(c);
	struct budget *own = own_budget(c);

	if (!agent->above)
		return; /* limits_restore() has added it */
	for (int64_t n = evlog_replies(log) - 1; n >= 0; n--) {
		AUTO(json) json_object *record = evlog_reply_at(log, n, NULL);
		AUTO(llm_reply) struct llm_reply *reply = NULL;

		if (!record || js_int(record, "before", 0) <= agent->delegation)
			break;
		reply = llm_reply_from_json(record, NULL);
		own->quotas[LIMIT_ITERATIONS].used++;
		if (reply && reply->usage.cost > 0)
			own->quotas[LIMIT_COST].used += reply->usage.cost;
		if (reply)
			own->quotas[LIMIT_TOKENS].used +=
				(double)(reply->usage.input > 0 ? reply->usage.input
								: 0) +
				(double)(reply->usage.output > 0 ? reply->usage.output
								 : 0);
	}
	for (int64_t id = agent->start; id < evlog_count(log); id++)
		own->quotas[LIMIT_CALLS].used += evlog_head(log, id)->dispatched;
}

static bool stop_at_limit(struct conversation *c)
{
	char limit[256];

	if (!limits_reached(c, LIMITS_STEP, limit, sizeof limit))
		return false;
	limits_stop(c, limit);
	return true;
}

static bool spend_call(struct conversation *c, struct call *call)
{
	char limit[256];

	if (limits_reached(c, LIMITS_CALL, limit, sizeof limit)) {
		limits_stop_call(c, call->action, limit);
		return true;
	}
	budget_spend(own_budget(c), LIMIT_CALLS, 1);
	return false;
}

static int limits_exit_code_of(const char *reason)
{
	return strstr(reason, "Agent reached maximum") ? EXIT_LIMIT : 0;
}

static const char *const usage_states[] = { record_name, NULL };

const struct feature limits_feature = {
	.name = "limits",
	.usage_states = usage_states,
	.state_size = sizeof(struct work_clock),
	.agent_state_size = sizeof(struct budget),
	.open_agent = limits_open_agent,
	.before_state = before_state,
	.before_step = stop_at_limit,
	.on_step = on_step,
	.before_reply = before_reply,
	.on_usage = on_usage,
	.before_action = limits_before_action,
	.calls_left = calls_left,
	.before_send = spend_call,
	.exit_code_of = limits_exit_code_of,
	.restore_agent = restore_agent,
	.restore = limits_restore,
	.release = limits_release,
};
