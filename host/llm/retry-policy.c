/* SPDX-License-Identifier: MIT
 *
 * retry-policy.c - handles a failed attempt: retries it after a delay or in another form,
 * uses another model, or reports an error. */
#include "llm/llm-internal.h"
#include "log.h"
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

static void on_waited(uv_timer_t *timer)
{
	struct llm_exchange *x = timer->data;
	struct error err = ERROR_NONE;

	if (x->events.again)
		x->events.again(x->arg);
	if (x->ended)
		return;
	if (x->needs_encode && exchange_write_again(x, &err)) {
		x->hint.should = 0;
		retry_policy_on_failure(x, MT_ERROR_BAD_REQUEST, err.text);
		return;
	}
	x->needs_encode = false;
	exchange_begin(x);
}

static void wait_for_next(struct llm_exchange *x, const struct llm_error *e)
{
	uint32_t dice = 0;
	int64_t wait;

	if (getrandom(&dice, sizeof dice, GRND_NONBLOCK) < 0)
		dice = (uint32_t)uv_hrtime();
	wait = backoff_wait(&x->llm->retry, &x->hint, x->attempt, dice);
	log_line(MT_LOG_INFO, "llm", "%s; attempt %d in %" PRId64 " ms", e->text,
		 x->attempt + 1, wait);
	uv_timer_start(&x->timer, on_waited, (uint64_t)wait, 0);
	if (x->events.retry)
		x->events.retry(x->arg, e, wait);
}

static void on_moved(uv_timer_t *timer)
{
	exchange_begin(timer->data);
}

/* Continue with the next model of the list that supports the request. Fallbacks of a
 * fallback are not used. */
static bool move_on(struct llm_exchange *x, const struct llm_error *e)
{
	const struct llm *first = x->first;

	while (x->fallback < first->fallback_count) {
		struct llm *next = first->fallback[x->fallback++];
		struct error err = ERROR_NONE;

		if (exchange_move(x, next, &err)) {
			log_line(MT_LOG_WARNING, "llm", "%s", err.text);
			continue;
		}
		log_line(MT_LOG_INFO, "llm", "%s; falling back to %s", e->text,
			 next->name);
		x->needs_encode = false;
		uv_timer_start(&x->timer, on_moved, 0, 0);
		if (x->events.switched)
			x->events.switched(x->arg, e, next);
		return true;
	}
	return false;
}

/* Retry without cache breakpoints: immediately, once for each model, and without
 * counting as an attempt. */
static bool without_marks(struct llm_exchange *x, int kind, const char *why)
{
	if (x->no_cache || (kind != MT_ERROR_BAD_REQUEST && kind != MT_ERROR_MALFORMED) ||
	    !llm_error_is_small_cache(why))
		return false;
	log_line(MT_LOG_INFO, "llm",
		 "%s: prompt is too short for its cache; sent without cache breakpoints",
		 x->llm->name);
	x->no_cache = x->needs_encode = true;
	x->attempt--;
	uv_timer_start(&x->timer, on_waited, 0, 0);
	return true;
}

void retry_policy_on_failure(struct llm_exchange *x, int kind, const char *why)
{
	struct llm_events events = x->events;
	struct llm_error e = { .kind = kind,
			       .status = x->status,
			       .attempts = x->attempt };
	bool passing = llm_error_is_transient(kind, x->status);
	bool again = x->hint.should >= 0 ? x->hint.should : passing;
	void *arg = x->arg;

	uv_timer_stop(&x->timer);
	if (without_marks(x, kind, why))
		return;
	llm_error_describe(x->llm, &e, why);
	llm_request_log_write(x, NULL, e.text);
	if (again && x->attempt < x->llm->retry.attempts) {
		wait_for_next(x, &e);
		return;
	}
	if ((passing || kind == MT_ERROR_QUOTA) && move_on(x, &e))
		return;
	log_line(MT_LOG_INFO, "llm", "%s", e.text);
	exchange_end(x);
	events.failed(arg, &e);
}

/* The temperature that is sent; 0 if none is sent. */
static double temperature(const struct llm_exchange *x)
{
	json_object *asked = js_get(x->request->params, "temperature");

	if (asked)
		return json_object_get_double(asked);
	return x->llm->params.temperature ? strtod(x->llm->params.temperature, NULL) : 0;
}

/* The same request would most likely get the same empty response. */
void retry_policy_on_empty_reply(struct llm_exchange *x)
{
	if (!x->raised_temperature && temperature(x) <= 0 &&
	    llm_supports_param(x->llm, x->request, "temperature"))
		x->raised_temperature = x->needs_encode = true;
	retry_policy_on_failure(x, MT_ERROR_MALFORMED, "the response is empty");
}
