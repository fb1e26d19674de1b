/* SPDX-License-Identifier: MIT
 *
 * budget.c - the account of a conversation: what it spends, when it stops, what
 * of that outlives the process. */
#include "controller/budget.h"

#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/turn.h"
#include "log.h"

#include <string.h>

/* Of a conversation. */
struct work_clock {
	uint64_t since;    /* when the working time was last updated */
	uv_timer_t *timer; /* expires with the time limit; NULL: none */
	bool working;
	bool unpriced;     /* a reply without a price was reported */
};

static struct work_clock *clock_of(const struct conversation *c)
{
	return feature_state(c, &limits_feature);
}

static const char record_name[] = "mortise/account"; /* of its state record */

void budget_configure(struct budget *a, const struct config *config, const char *section,
		      const char *above)
{
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const char *name = limit_option((enum limit)i);
		const char *value = config_get(config, section, name);
		const char *inherited = above ? config_get(config, above, name) : NULL;
		double max = 0;

		/* An equal limit is inherited: the one above is reached first, and this
		 * one would end the delegate when that has been raised. */
		if (!value || (inherited && strcmp(value, inherited) == 0))
			continue;
		if (i == LIMIT_COST)
			max = strtod(config_get(config, section, name), NULL);
		else
			max = (double)config_int(config, section, name);
		budget_set_limit(a, (enum limit)i, i == LIMIT_TIME ? max / 1000 : max);
	}
}

/* ---- spending ---------------------------------------------------------- */

void budget_update_clock(struct conversation *c)
{
	struct work_clock *w = clock_of(c);
	uint64_t now = uv_hrtime();

	if (w->working)
		budget_spend(c->agent->budget, LIMIT_TIME,
			     (double)(now - w->since) / 1e9);
	w->since = now;
	w->working = !state_is_resting(c->state) && c->state != STATE_LOADING;
}

void budget_charge_reply(struct conversation *c, const struct llm_usage *usage)
{
	int64_t tokens = (usage->input > 0 ? usage->input : 0) +
			 (usage->output > 0 ? usage->output : 0);

	budget_spend(c->agent->budget, LIMIT_TOKENS, (double)tokens);
	budget_spend(c->agent->budget, LIMIT_COST, usage->cost);
	if (usage->cost >= 0 || c->budget.quotas[LIMIT_COST].max <= 0 ||
	    clock_of(c)->unpriced)
		return;
	clock_of(c)->unpriced = true;
	conversation_notice(
		c, MT_LOG_WARNING,
		"the price of %s is not known: max_budget counts it as "
		"nothing; set input_cost_per_token and output_cost_per_token, or max_tokens",
		c->agent->llm ? llm_name(c->agent->llm) : "a reply");
}

/* ---- stopping ---------------------------------------------------------- */

bool budget_reached(struct conversation *c, unsigned which, char *text, size_t room)
{
	budget_update_clock(c);
	return budget_account_reached(c->agent->budget, which, text, room);
}

void budget_stop(struct conversation *c, const char *text)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf said = STRBUF(1024);

	strbuf_addf(&said, "The work was stopped by a limit of this host. %s", text);
	conversation_log_event(c,
			       event_observation("error", SOURCE_ENVIRONMENT, -1,
						 said.text, said.len, NULL, &err),
			       &err);
	budget_log(c);
	conversation_set_error(c, EXIT_LIMIT, "%s", text);
}

/* The call of an action is not made, or not waited for, because of a limit. */
static void stop_call(struct conversation *c, struct event *action, const char *text)
{
	AUTO(strbuf) struct strbuf said = STRBUF(1024);
	bool left = evlog_dispatched(c->log, action->id);

	strbuf_addf(&said,
		    "The call was not %s: the work was stopped by a limit of this "
		    "host. %s",
		    left ? "finished" : "made", text);
	dispatch_log_failure(c, action, "", said.text);
	budget_log(c);
	conversation_set_error(c, EXIT_LIMIT, "%s", text);
}

/* ---- the alarm ---------------------------------------------------------- */

/* Seconds until the first limit of the time of work is reached. */
static double time_left(const struct budget *a)
{
	double left = 1e9;

	for (; a; a = a->parent) {
		const struct quota *m = &a->quotas[LIMIT_TIME];

		if (m->max > 0 && m->max - m->used < left)
			left = m->max - m->used;
	}
	return left;
}

/* A call that is under way gets its observation; a request or a hook none. */
static void time_is_over(struct conversation *c, const char *text)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action = NULL;

	conversation_cancel_work(c);
	if (turn_is_running(c))
		action = evlog_event(c->log, turn_pending(c), &err);
	if (action)
		stop_call(c, action, text);
	else if (c->state != STATE_ERROR && !state_is_resting(c->state))
		budget_stop(c, text);
}

static void on_alarm(uv_timer_t *timer)
{
	struct conversation *c = timer->data;
	char text[256];

	if (c->closing || !clock_of(c)->working)
		return;
	if (budget_reached(c, 1u << LIMIT_TIME, text, sizeof text))
		time_is_over(c, text);
	else
		budget_start_timer(c);
}

void budget_start_timer(struct conversation *c)
{
	struct work_clock *w = clock_of(c);
	double left = time_left(&c->budget);

	if (!w->working || left >= 1e9) {
		if (w->timer)
			uv_timer_stop(w->timer);
		return;
	}
	if (!w->timer) {
		w->timer = calloc(1, sizeof *w->timer);
		if (!w->timer)
			return; /* it is looked at before each call all the same */
		uv_timer_init(c->loop, w->timer);
		uv_unref((uv_handle_t *)w->timer);
		w->timer->data = c;
	}
	uv_update_time(c->loop);
	uv_timer_start(w->timer, on_alarm, left > 0 ? (uint64_t)(left * 1000) + 1 : 1, 0);
}

static void on_alarm_closed(uv_handle_t *handle)
{
	free(handle);
}

static void release(struct conversation *c)
{
	struct work_clock *w = clock_of(c);

	if (w->timer)
		uv_close((uv_handle_t *)w->timer, on_alarm_closed);
	w->timer = NULL;
}

/* ---- what outlives the process ----------------------------------------- */

void budget_log(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *record = json_object_new_object();
	AUTO(json) json_object *account = budget_json(&c->budget);

	if (!account || js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", record_name) ||
	    js_set_str(record, "text", js_text(account, NULL)) ||
	    evlog_record(c->log, record, &err))
		log_line(MT_LOG_WARNING, "controller", "the account was not logged: %s",
			 err.code ? err.text : "out of memory");
}

/* Calls that left, and the steps of which a reply came: from the log itself. */
static void recount(struct conversation *c)
{
	struct quota *calls = &c->budget.quotas[LIMIT_CALLS];
	struct quota *steps = &c->budget.quotas[LIMIT_ITERATIONS];
	double replies = (double)(evlog_replies(c->log) - c->inherited_replies), left = 0;

	for (int64_t id = 0; c->inherited_replies == 0 && id < evlog_count(c->log); id++)
		left += evlog_head(c->log, id)->dispatched;
	if (calls->used < left)
		calls->used = left;
	if (steps->used < replies)
		steps->used = replies;
}

void budget_restore(struct conversation *c, const struct llm_metrics *m, double worked)
{
	size_t len;
	const char *text = evlog_state(c->log, record_name, &len);
	AUTO(json) json_object *o = text ? js_parse_object(text, len, NULL) : NULL;
	struct quota *meters = c->budget.quotas;

	if (o)
		budget_from_json(&c->budget, o);
	for (size_t i = 0; c->inherited_replies > 0 && i < LIMIT_COUNT; i++)
		meters[i].used = 0; /* what another conversation spent */
	recount(c);
	meters[LIMIT_COST].used = m->cost;
	meters[LIMIT_TOKENS].used = (double)m->input + (double)m->output;
	if (c->inherited_replies < evlog_replies(c->log) &&
	    meters[LIMIT_TIME].used < worked)
		meters[LIMIT_TIME].used = worked;
}

static bool stop_at_limit(struct conversation *c)
{
	char limit[256];

	if (!budget_reached(c, LIMITS_STEP, limit, sizeof limit))
		return false;
	budget_stop(c, limit);
	return true;
}

static bool spend_call(struct conversation *c, struct event *action)
{
	char limit[256];

	if (budget_reached(c, LIMITS_CALL, limit, sizeof limit)) {
		stop_call(c, action, limit);
		return true;
	}
	budget_spend(c->agent->budget, LIMIT_CALLS, 1);
	return false;
}

static int exit_code_of(const char *reason)
{
	return strstr(reason, "Agent reached maximum") ? EXIT_LIMIT : 0;
}

const struct feature limits_feature = {
	.name = "limits",
	.state_size = sizeof(struct work_clock),
	.before_step = stop_at_limit,
	.before_send = spend_call,
	.exit_code_of = exit_code_of,
	.release = release,
};
