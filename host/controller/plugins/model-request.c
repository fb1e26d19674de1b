/* SPDX-License-Identifier: MIT
 *
 * model-request.c - requests to models: tracks the request, and reports its attempts to
 * the log and the user. */
#include "controller/plugins/model-request.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "llm/llm-records.h"
#include "llm/models/router.h"
#include "log.h"

#include <string.h>

/* ---- the pending request ------------------------------------------------- */

struct request {
	struct mt_ctx *work;           /* whose request is in progress; NULL: none */
	struct llm_exchange *exchange; /* NULL: not a request to a model */
	int64_t event_count;           /* events in the log when it was sent, or the agent
	                                  started a step */
};

struct request *request_new(void)
{
	return calloc(1, sizeof(struct request));
}

bool request_is_open(const struct conversation *c)
{
	return c->request->work;
}

bool request_is_of_agent(const struct conversation *c)
{
	return c->request->work && c->request->work->is_agent;
}

bool request_has_exchange(const struct conversation *c)
{
	return c->request->exchange;
}

int64_t request_event_count(const struct conversation *c)
{
	return c->request->event_count;
}

void request_note_events(struct conversation *c)
{
	c->request->event_count = evlog_count(c->log);
}

struct mt_ctx *request_keep(struct conversation *c, struct mt_ctx *x)
{
	struct mt_ctx *work = malloc(sizeof *work);

	if (!work)
		return NULL;
	*work = *x;
	*x = (struct mt_ctx){ .c = c, .part = work->part };
	c->request->work = work;
	request_note_events(c);
	return work;
}

struct mt_ctx request_finish(struct conversation *c)
{
	struct mt_ctx x = *c->request->work;

	free(c->request->work);
	c->request->work = NULL;
	c->request->exchange = NULL;
	x.sent = false;
	return x;
}

void request_clear(struct conversation *c)
{
	if (c->request->work)
		plugin_ctx_clear(c->request->work);
	free(c->request->work);
	c->request->work = NULL;
	c->request->exchange = NULL;
}

void request_cancel(struct conversation *c)
{
	if (c->request->exchange)
		llm_cancel(c->request->exchange);
	request_clear(c);
}

struct llm *request_llm_for(const struct conversation *c,
			    const struct plugin_component *p,
			    const struct llm_request *request)
{
	bool condenses = p->component->kind == MT_KIND_CONDENSER;

	if (p->llm)
		return p->llm;
	return llm_router_choose(c->agent->router, request,
				 condenses ? LLM_FOR_CONDENSING : LLM_FOR_AGENT,
				 c->agent->llm);
}

bool request_encode(struct conversation *c, struct mt_ctx *x, uint64_t end)
{
	struct llm *llm = request_llm_for(c, x->part, x->request);

	x->request->stream = llm_feature(llm, "stream");
	return llm_encode_ahead(llm, x->request, &x->encoded, end);
}

/* libcurl sends from the loop, which does not continue before the log is on disk. */
int request_send(struct conversation *c, struct mt_ctx *x, int64_t index,
		 const struct llm_events *events, struct error *err)
{
	struct llm *llm = request_llm_for(c, x->part, x->request);
	struct mt_ctx *work = request_keep(c, x);
	int r;

	if (!work)
		return out_of_memory(err);
	x->sent = true;
	work->request->stream = llm_feature(llm, "stream");
	evlog_barrier_begin(c->log);
	r = llm_send(llm, work->request, index, events, c, NULL, &c->request->exchange,
		     err);
	if (!r)
		r = conversation_barrier(c, err);
	if (r)
		request_cancel(c);
	else
		llm_query_context_window(llm);
	return r;
}

/* ---- its attempts ------------------------------------------------------ */

static void log_attempt(struct conversation *c, const struct llm_error *why,
			int64_t wait_ms, const char *next)
{
	struct error err = ERROR_NONE;

	if (llm_attempt_log(c->log, why, wait_ms, next, &err))
		conversation_notice(c, MT_LOG_WARNING, "cannot log an attempt: %s",
				    err.text);
}

void request_on_retry(struct conversation *c, const struct llm_error *why,
		      int64_t wait_ms)
{
	log_attempt(c, why, wait_ms, NULL);
	NOTIFY_WATCHERS(c, retry, why, wait_ms);
	if (why->kind == MT_ERROR_RATE_LIMIT)
		conversation_set_state(c, STATE_RATE_LIMITED, why->text);
}

void request_on_resume(struct conversation *c)
{
	if (c->state == STATE_RATE_LIMITED)
		conversation_set_state(c, STATE_RUNNING, "");
}

void request_on_fallback(struct conversation *c, const struct llm_error *why,
			 const struct llm *next)
{
	log_attempt(c, why, 0, llm_name(next));
	conversation_notice(c, MT_LOG_WARNING, "%s; falling back to %s", why->text,
			    llm_name(next));
}
