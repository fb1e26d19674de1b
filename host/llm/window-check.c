/* SPDX-License-Identifier: MIT
 *
 * window-check.c - rejects requests that exceed the context window: they would cost time,
 * and some servers truncate them silently.
 *
 * The length is estimated. If the estimate is near the window and the setting is enabled,
 * the provider counts the tokens. A provider without that API is not queried again. */
#include "llm/llm-internal.h"
#include "config/choices.h"
#include "log.h"
#include "registry/guard.h"
#include <inttypes.h>
#include <string.h>

enum { MAX_ANSWER = 65536, WAIT_MS = 15000, NEAR = 2 };

/* The count request, encoded by the dialect, and its response. */
struct token_count {
	struct llm_exchange question;
	struct strbuf answer;
	int status;
};

static void on_go_on(uv_timer_t *timer)
{
	exchange_begin(timer->data);
}

static void window_check_on_refused(uv_timer_t *timer)
{
	struct llm_exchange *x = timer->data;
	char why[160];

	snprintf(why, sizeof why,
		 "request not sent: it has about %" PRId64
		 " tokens, more than the context "
		 "window of %" PRId64,
		 x->tokens, x->llm->window);
	retry_policy_on_failure(x, MT_ERROR_CONTEXT_WINDOW, why);
}

void window_check_end(struct llm_exchange *x)
{
	if (!x->count)
		return;
	exchange_clear(&x->count->question);
	strbuf_clear(&x->count->answer);
	free(x->count);
	x->count = NULL;
}

/* ---- token count by the provider ------------------------------------------------ */

static void count_give_up(struct llm *l, const char *why)
{
	if (!l->uncounted)
		log_line(MT_LOG_WARNING, "llm",
			 "%s cannot count tokens (%.200s); using an estimate", l->name,
			 why);
	l->uncounted = true;
}

static void count_on_header(void *arg, int status, const char *name, const char *value)
{
	struct llm_exchange *x = arg;

	(void)name, (void)value;
	x->count->status = status;
}

static int count_on_body(void *arg, const char *bytes, size_t len)
{
	struct llm_exchange *x = arg;

	return strbuf_addn(&x->count->answer, bytes, len) ? HTTP_STOP : HTTP_MORE;
}

static void count_on_done(void *arg, enum http_outcome outcome, const char *why)
{
	struct llm_exchange *x = arg;
	struct token_count *c = x->count;
	struct guard_call outer;
	char text[64];
	int64_t tokens = -1;

	x->http = NULL;
	snprintf(text, sizeof text, "HTTP %d", c->status);
	if (outcome == HTTP_DONE && c->status == 200) {
		outer = guard_enter(x->llm->component, "counted");
		tokens = x->llm->dialect->counted(&llm_dialect_host,
						  (struct mt_exchange *)&c->question,
						  c->answer.text ? c->answer.text : "",
						  c->answer.len);
		guard_leave(outer);
	}
	if (tokens >= 0) {
		x->tokens = tokens;
		llm_estimate_learn(x->llm, x->request, tokens);
	} else {
		count_give_up(x->llm, outcome == HTTP_DONE ? text
				      : why                ? why
							   : "too long");
	}
	window_check_end(x);
	if (tokens >= 0 ? tokens > x->llm->window : llm_exceeds_window(x->llm, x->tokens))
		uv_timer_start(&x->timer, window_check_on_refused, 0, 0);
	else
		uv_timer_start(&x->timer, on_go_on, 0, 0);
}

static int count_start(struct llm_exchange *x, struct error *err)
{
	static const struct http_events events = { count_on_header, count_on_body,
						   count_on_done };
	struct token_count *c = calloc(1, sizeof *c);
	int status;

	if (!c)
		return out_of_memory(err);
	x->count = c;
	c->answer = STRBUF(MAX_ANSWER);
	c->question = (struct llm_exchange){
		.llm = x->llm, .first = x->first, .request = x->request,
		.no_cache = x->no_cache, .reply_index = x->reply_index,
		.url = STRBUF(16384), .body = { .bytes = STRBUF(LLM_MAX_BODY) },
		.text = STRBUF(0), .reasoning = STRBUF(0), .opaque = STRBUF(0),
		.error_text = STRBUF(4096), .answer_headers = STRBUF(0),
	};
	exchange_reset_attempt(&c->question);
	status = exchange_encode(&c->question, x->request, x->llm->dialect->count, err);
	if (!status)
		status = exchange_post(&c->question, &events, x, WAIT_MS, &x->http, err);
	if (status)
		window_check_end(x);
	return status;
}

static bool may_ask(const struct llm_exchange *x)
{
	int who = config_choice(x->llm->config, x->llm->section, "token_counter");

	return who == TOKEN_COUNTER_PROVIDER && !x->local && !x->llm->uncounted &&
	       x->tokens > x->llm->window / NEAR;
}

/* ---- the check ------------------------------------------------------------------ */

bool window_check_begin(struct llm_exchange *x)
{
	struct error err = ERROR_NONE;

	if (x->size_checked || x->llm->window <= 0)
		return false;
	x->size_checked = true;
	x->tokens = llm_estimate_tokens(x->llm, x->request);
	if (may_ask(x)) {
		if (!MT_HAS(x->llm->dialect, counted) || !x->llm->dialect->count)
			count_give_up(x->llm, "no token counting API");
		else if (count_start(x, &err))
			count_give_up(x->llm, err.text);
		else
			return true;
	}
	if (!llm_exceeds_window(x->llm, x->tokens))
		return false;
	uv_timer_start(&x->timer, window_check_on_refused, 0, 0);
	return true;
}
