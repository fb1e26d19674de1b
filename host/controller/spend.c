/* SPDX-License-Identifier: MIT
 *
 * spend.c - the account of a conversation: what it spends, when it stops, what
 * of that outlives the process. */
#include "controller/internal.h"

#include "controller/exit_code.h"
#include "log.h"

#include <string.h>

static const char record_name[] = "mortise/account"; /* of its state record */

void spend_limits(struct account *a, const struct config *config, const char *section,
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
		if (i == LIMIT_BUDGET)
			max = strtod(config_get(config, section, name), NULL);
		else
			max = (double)config_int(config, section, name);
		account_limit(a, (enum limit)i, i == LIMIT_TIME ? max / 1000 : max);
	}
}

/* ---- spending ---------------------------------------------------------- */

void spend_clock(struct conversation *c)
{
	uint64_t now = uv_hrtime();

	if (c->working)
		account_spend(c->purse, LIMIT_TIME, (double)(now - c->work_since) / 1e9);
	c->work_since = now;
	c->working = !state_is_resting(c->state) && c->state != STATE_LOADING;
}

void spend_reply(struct conversation *c, const struct llm_usage *usage)
{
	int64_t tokens = (usage->input > 0 ? usage->input : 0)
			 + (usage->output > 0 ? usage->output : 0);

	account_spend(c->purse, LIMIT_TOKENS, (double)tokens);
	account_spend(c->purse, LIMIT_BUDGET, usage->cost);
	if (usage->cost >= 0 || c->account.meters[LIMIT_BUDGET].max <= 0 || c->unpriced)
		return;
	c->unpriced = true;
	notice(c, MT_LOG_WARNING, "the price of %s is not known: max_budget counts it as "
	       "nothing; set input_cost_per_token and output_cost_per_token, or max_tokens",
	       c->llm ? llm_name(c->llm) : "a reply");
}

/* ---- stopping ---------------------------------------------------------- */

bool spend_reached(struct conversation *c, unsigned which, char *text, size_t room)
{
	spend_clock(c);
	return account_reached(c->purse, which, text, room);
}

void spend_stop(struct conversation *c, const char *text)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf said = STRBUF(1024);

	strbuf_addf(&said, "The work was stopped by a limit of this host. %s", text);
	post(c, event_observation("error", SOURCE_ENVIRONMENT, -1, said.text, said.len, NULL,
				  &err), &err);
	spend_log(c);
	set_error(c, EXIT_LIMIT, "%s", text);
}

/* ---- the alarm ---------------------------------------------------------- */

/* Seconds until the first limit of the time of work is reached. */
static double time_left(const struct account *a)
{
	double left = 1e9;

	for (; a; a = a->parent) {
		const struct meter *m = &a->meters[LIMIT_TIME];

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

	cancel_work(c);
	if (c->pending >= 0 && !c->waits)
		action = evlog_event(c->log, c->pending, &err);
	if (action)
		stop_at_limit(c, action, text);
	else if (c->state != STATE_ERROR && !state_is_resting(c->state))
		spend_stop(c, text);
}

static void on_alarm(uv_timer_t *timer)
{
	struct conversation *c = timer->data;
	char text[256];

	if (c->closing || !c->working)
		return;
	if (spend_reached(c, 1u << LIMIT_TIME, text, sizeof text))
		time_is_over(c, text);
	else
		spend_watch(c);
}

void spend_watch(struct conversation *c)
{
	double left = time_left(&c->account);

	if (!c->working || left >= 1e9) {
		if (c->alarm)
			uv_timer_stop(c->alarm);
		return;
	}
	if (!c->alarm) {
		c->alarm = calloc(1, sizeof *c->alarm);
		if (!c->alarm)
			return; /* it is looked at before each call all the same */
		uv_timer_init(c->loop, c->alarm);
		uv_unref((uv_handle_t *)c->alarm);
		c->alarm->data = c;
	}
	uv_update_time(c->loop);
	uv_timer_start(c->alarm, on_alarm, left > 0 ? (uint64_t)(left * 1000) + 1 : 1, 0);
}

static void on_alarm_closed(uv_handle_t *handle)
{
	free(handle);
}

void spend_unwatch(struct conversation *c)
{
	if (c->alarm)
		uv_close((uv_handle_t *)c->alarm, on_alarm_closed);
	c->alarm = NULL;
}

/* ---- what outlives the process ----------------------------------------- */

void spend_log(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *record = json_object_new_object();
	AUTO(json) json_object *account = account_json(&c->account);

	if (!account || js_set_str(record, "record", "state")
	    || js_set_str(record, "plugin", record_name)
	    || js_set_str(record, "text", js_text(account, NULL))
	    || evlog_record(c->log, record, &err))
		log_line(MT_LOG_WARNING, "controller", "the account was not logged: %s",
			 err.code ? err.text : "out of memory");
}

/* Calls that left, and the steps of which a reply came: from the log itself. */
static void recount(struct conversation *c)
{
	struct meter *calls = &c->account.meters[LIMIT_CALLS];
	struct meter *steps = &c->account.meters[LIMIT_ITERATIONS];
	double replies = (double)(evlog_replies(c->log) - c->inherited), left = 0;

	for (int64_t id = 0; c->inherited == 0 && id < evlog_count(c->log); id++)
		left += evlog_head(c->log, id)->dispatched;
	if (calls->used < left)
		calls->used = left;
	if (steps->used < replies)
		steps->used = replies;
}

void spend_restore(struct conversation *c, const struct llm_metrics *m, double worked)
{
	size_t len;
	const char *text = evlog_state(c->log, record_name, &len);
	AUTO(json) json_object *o = text ? js_parse_object(text, len, NULL) : NULL;
	struct meter *meters = c->account.meters;

	if (o)
		account_from_json(&c->account, o);
	for (size_t i = 0; c->inherited > 0 && i < LIMIT_COUNT; i++)
		meters[i].used = 0; /* what another conversation spent */
	recount(c);
	meters[LIMIT_BUDGET].used = m->cost;
	meters[LIMIT_TOKENS].used = (double)m->input + (double)m->output;
	if (c->inherited < evlog_replies(c->log) && meters[LIMIT_TIME].used < worked)
		meters[LIMIT_TIME].used = worked;
}
