/* SPDX-License-Identifier: MIT
 *
 * step.c - one step of the agent: guards, view, agent, model.
 *
 * A step begins when the agent is running, nothing is pending and no request is in
 * progress. Actions queued from one reply are handled first, one per step, and do not
 * count as iterations. */
#include "controller/step.h"

#include "context/history.h"
#include "context/request-messages.h"
#include "controller/plugins/advance.h"
#include "controller/core.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-http.h"
#include "controller/turn-actions.h"
#include "llm/llm-records.h"
#include "log.h"
#include "slice.h"

#include <string.h>

enum { DELTA_MAX = 16 << 20, SLICE_NS = 10 * 1000 * 1000 };

void step_fail(struct conversation *c, int r, int exit_code, const char *why)
{
	if (r == MT_ECANCELLED)
		conversation_set_state(c, STATE_PAUSED, why);
	else
		conversation_set_error(c, exit_code, "%s", why);
}

int step_exit_code(const struct mt_ctx *x, int otherwise)
{
	return x->plugin_failed ? EXIT_TOOL : otherwise;
}

/* ---- the model --------------------------------------------------------- */

/* Mask secrets for watchers too. */
static void tell_delta(struct conversation *c, bool reasoning, const char *text,
		       size_t len, bool last)
{
	AUTO(strbuf) struct strbuf out = STRBUF(DELTA_MAX);

	mask_stream_put(&c->reply_masks[reasoning], &out, text, len, last);
	if (out.len)
		NOTIFY_WATCHERS(c, delta, reasoning, out.text, out.len);
}

static void step_on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	tell_delta(arg, reasoning, text, len, false);
}

/* End the stream, so that no text stays buffered for the next reply. */
static void end_deltas(struct conversation *c)
{
	tell_delta(c, true, "", 0, true);
	tell_delta(c, false, "", 0, true);
}

static void step_on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	struct conversation *c = arg;

	end_deltas(c);
	request_on_retry(c, why, wait_ms);
}

static void step_on_again(void *arg)
{
	request_on_resume(arg);
}

static void step_on_switched(void *arg, const struct llm_error *why,
			     const struct llm *next)
{
	struct conversation *c = arg;

	end_deltas(c);
	request_on_fallback(c, why, next);
}

static int log_reply(struct conversation *c, struct llm_reply *reply, struct error *err)
{
	AUTO(json) json_object *record = NULL;

	if (llm_reply_make_unique(reply, c->log, err))
		return err->code;
	record = llm_reply_json(reply);
	if (!record || js_set_int(record, "before", evlog_count(c->log)) ||
	    FEATURES_ASK(before_reply, c, record))
		return out_of_memory(err);
	return evlog_record(c->log, record, err);
}

static void step_on_done(void *arg, struct llm_reply *reply)
{
	struct conversation *c = arg;
	struct mt_ctx x = request_finish(c);
	struct error err = ERROR_NONE;
	int r;

	plugin_ctx_clear(&x);
	end_deltas(c);
	if (log_reply(c, reply, &err)) {
		llm_reply_free(reply);
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	FEATURES_TELL(on_usage, c, &reply->usage, true);
	c->step_requested = true;
	NOTIFY_WATCHERS(c, reply, reply);
	r = advance_reply(c, reply, 0, &err);
	if (r)
		step_fail(c, r, r == MT_ENOMEM ? EXIT_FAILED : EXIT_TOOL, err.text);
	else if (!turn_has_planned(c))
		turn_log_error(c, NULL, NULL,
			       "The response contained neither text nor a tool call.");
	step_run_ready(c);
}

static void step_on_failed(void *arg, const struct llm_error *error)
{
	struct conversation *c = arg;

	request_clear(c);
	end_deltas(c);
	if (FEATURES_ASK(request_failed, c, error)) {
		step_run_ready(c);
		return;
	}
	c->status = llm_error_status(error->kind);
	conversation_set_error(c, EXIT_MODEL, "%s", error->text);
}

static const struct llm_events llm_events = {
	.delta = step_on_delta,
	.retry = step_on_retry,
	.again = step_on_again,
	.switched = step_on_switched,
	.done = step_on_done,
	.failed = step_on_failed,
};

/* ---- one step ---------------------------------------------------------- */

/* The time, as uv_hrtime, by which work that starts now should return to the loop. */
static uint64_t slice_end(void)
{
	return uv_hrtime() + SLICE_NS;
}

int step_send(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	int r;

	if (request_encode(c, x, slice_end()))
		return features_suspend_step(c, x, err);
	r = request_send(c, x, evlog_replies(c->log), &llm_events, err);
	if (!r)
		FEATURES_TELL(request_sent, c);
	return r;
}

static void step_on_http(struct conversation *c, json_object *result);

/* Call the agent, and again with the result of each HTTP request that is in the log. */
static int step_run_agent(struct conversation *c, struct mt_ctx *x, struct mt_in *in,
			  struct error *err)
{
	json_object *result = NULL;
	struct plugin_http_input input;
	int r = advance_agent(x, in, err);

	while (!r && x->http) {
		r = plugin_http_perform(c, x, step_on_http, &result, err);
		if (r || !result)
			return r;
		plugin_http_input(&input, result);
		r = advance_agent(x, &input.in, err);
		json_object_put(result);
	}
	if (r)
		return r;
	if (x->sent)
		return step_send(c, x, err);
	if (!turn_has_planned(c))
		turn_log_error(c, NULL, NULL, "The agent produced no action.");
	return MT_OK;
}

/* Continue the step with the result of an HTTP request. */
static void step_on_http(struct conversation *c, json_object *result)
{
	struct mt_ctx x = request_finish(c);
	struct plugin_http_input input;
	struct error err = ERROR_NONE;
	int r;

	plugin_http_input(&input, result);
	r = step_run_agent(c, &x, &input.in, &err);
	if (r)
		step_fail(c, r, step_exit_code(&x, x.sent ? EXIT_MODEL : EXIT_FAILED),
			  err.text);
	plugin_ctx_clear(&x);
	step_run_ready(c);
}

/* Run the agent on a complete view. */
static int start_agent(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	struct mt_in in = { .size = sizeof in, .what = MT_START };

	if (FEATURES_ASK(before_request, c))
		return MT_OK;
	x->sent = false;
	request_note_events(c);
	return step_run_agent(c, x, &in, err);
}

int step_advance_prepared(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	const uint64_t end = slice_end();
	bool more;
	int r = request_messages_prepare(c->agent->memory, x->view, x->view_count, end,
					 &x->prepared, err);

	more = x->prepared < x->view_count;
	if (!r && !more)
		r = request_messages_lay_out(c->agent->memory, x->view, x->view_count,
					     end, &more, err);
	if (r)
		return r;
	return more ? features_suspend_step(c, x, err) : start_agent(c, x, err);
}

static int step_begin(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	const uint64_t end = slice_end();
	bool held = false;
	int r = history_view(c->agent->history, &x->view, &x->view_count, err);

	if (!r)
		r = FEATURES_TRY(&held, after_view, x, &held, err);
	if (r || held)
		return r;
	return slice_is_over(end) ? features_suspend_step(c, x, err)
				  : step_advance_prepared(c, x, err);
}

void step_prepared(struct conversation *c)
{
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin };
	struct error err = ERROR_NONE;
	bool more = false;
	int r = history_prepare(c->agent->history, slice_end(), &more, &err);

	if (!r)
		r = more ? features_suspend_step(c, &x, &err) : step_begin(c, &x, &err);
	if (r)
		step_fail(c, r, step_exit_code(&x, x.sent ? EXIT_MODEL : EXIT_FAILED),
			  err.code ? err.text : x.error.text);
	plugin_ctx_clear(&x);
}

static void step(struct conversation *c)
{
	if (FEATURES_ASK(deliver, c)) {
		c->step_requested = true;
		return;
	}
	if (turn_has_planned(c)) {
		turn_take_planned(c);
		c->step_requested |= turn_has_planned(c);
		return;
	}
	if (FEATURES_ASK(before_step, c))
		return;
	FEATURES_TELL(on_step, c);
	step_prepared(c);
}

/* Why no step can start now; NULL: one can. */
static const char *why_blocked(struct conversation *c)
{
	return c->closing                  ? "closing"
	       : c->state != STATE_RUNNING ? state_name(c->state)
	       : !turn_is_idle(c)          ? "an action is pending"
	       : request_is_open(c)        ? "a request is in progress"
					   : FEATURES_ASK(blocks_step, c);
}

void step_run_ready(struct conversation *c)
{
	const char *why;

	if (c->stepping)
		return;
	c->stepping = true;
	while (!(why = why_blocked(c))) {
		if (!c->step_requested && !turn_has_planned(c))
			turn_log_error(c, NULL, NULL, "The action has no effect.");
		c->step_requested = false;
		FEATURES_TELL(before_work, c);
		step(c);
	}
	if (log_wants(MT_LOG_DEBUG))
		log_line(MT_LOG_DEBUG, "controller", "blocked step level=%u reason=%s",
			 c->parent_count, why);
	c->stepping = false;
}

void step_request(struct conversation *c)
{
	c->step_requested = true;
}
