/* SPDX-License-Identifier: MIT
 *
 * llm.h - a model: dialect, endpoint, parameters, retries and usage.
 *
 * One struct llm_pool per process: the libcurl multi handle on the loop, with its
 * kept connections. libcurl is initialized on the first use of a model that needs
 * it. */
#ifndef HOST_LLM_LLM_H
#define HOST_LLM_LLM_H

#include "config/config.h"
#include "models/model-table.h"
#include "request/request.h"
#include "registry/registry.h"
#include "strbuf.h"
#include <uv.h>

struct llm_pool;
struct llm;
struct llm_exchange;

struct llm_pool *llm_pool_new(uv_loop_t *loop, struct error *err);
/** Cancel running requests; the handles are closed after the next iteration of the loop.
 *  NULL is allowed. */
struct llm_pool *llm_pool_free(struct llm_pool *p);

/** Usage of one model. */
struct llm_metrics {
	int64_t calls, input, output, cache_read, cache_write, reasoning;
	int64_t latency_ms;      /* of all calls */
	double cost;
	bool cost_known;         /* false if the cost of a call was unknown */
};

/** Create a model from a section ("llm", "llm.cheap") of the configuration, which must
 *  outlive the model. `model` (may be NULL) overrides its `model` key. "provider/name"
 *  chooses dialect and endpoint; a bare name needs base_url. If no model is set, the
 *  error says how to set one. No server is contacted. */
int llm_open(struct llm_pool *pool, const struct config *c, struct registry *r,
	     const char *section, const char *model, struct mask *mask, struct llm **ret,
	     struct error *err);
struct llm *llm_free(struct llm *l);

/** Load libraries for the next request in the background. */
void llm_warm_up(const struct llm *l);
/** The same, before the model is opened; `model` as for llm_open. */
void llm_preload(const struct config *c, const char *model);
/** Full name ("openai/gpt-4.1"), for logs and output. */
const char *llm_name(const struct llm *l);
/** "tools" (natively), "vision", "stream", "stop", "cache", "responses",
 *  "reasoning", "adaptive_thinking", "send_reasoning", "short_tools",
 *  "max_completion_tokens". */
bool llm_feature(const struct llm *l, const char *name);
int64_t llm_context_window(const struct llm *l); /* tokens; -1: unknown */
/** Query a self-hosted server once for the context window of its model, unless it is
 *  known. Returns immediately; the window is known after the response. */
void llm_query_context_window(struct llm *l);
/** The window that was known before the first request, which never changes; -1: unknown, or
 *  `l` is NULL. */
int64_t llm_initial_window(const struct llm *l);
/** True if the context window is known and so small that prompts and tools should be
 *  short. False for NULL. */
bool llm_is_small(const struct llm *l);
const struct model_facts *llm_facts(const struct llm *l);
const struct llm_metrics *llm_metrics(const struct llm *l);
/** Add the usage of one reply. */
void llm_metrics_add(struct llm_metrics *m, const struct llm_usage *u,
		     int64_t latency_ms);

/** Usage of several models: in total, and of each model by name. */
struct llm_usage_totals;
struct llm_usage_totals *llm_usage_totals_new(void);
struct llm_usage_totals *llm_usage_totals_free(struct llm_usage_totals *b);
void llm_usage_totals_add(struct llm_usage_totals *b, const char *model,
			  const struct llm_usage *u, int64_t latency_ms);
/** Add usage that was counted elsewhere. */
void llm_metrics_merge(struct llm_metrics *m, const struct llm_metrics *other);
void llm_usage_totals_join(struct llm_usage_totals *b, const char *model,
			   const struct llm_metrics *sum);
const struct llm_metrics *llm_usage_totals_sum(const struct llm_usage_totals *b);
/** The n-th model and its usage; NULL past the last. */
const char *llm_usage_totals_at(const struct llm_usage_totals *b, size_t n,
				const struct llm_metrics **ret);
/** Append the models and their usage as a JSON list. */
int llm_usage_totals_put_json(const struct llm_usage_totals *b, struct strbuf *out);

/** Estimated tokens of a request for this model: based on earlier counts of the
 *  provider (4 bytes per token until there are any), accurate to about ten percent. No
 *  request is made. */
int64_t llm_estimate_tokens(const struct llm *l, const struct llm_request *r);
/** Log requests and replies in DIR/llm if `log_requests` is set. */
int llm_request_log_open(struct llm *l, const char *dir);

struct llm_error {
	int kind;                /* enum mt_error_kind */
	int status;              /* HTTP; 0: none */
	int attempts;            /* in total */
	char text[512];          /* one sentence: what failed and what to do */
};

/** "rate_limit", "network", ...: the name of a kind. */
const char *llm_error_name(int kind);
/** "STATUS$ERROR_LLM_...": the status of a kind for clients, as in OpenHands V0. */
const char *llm_error_status(int kind);
/** True if the history is too long for the model. */
bool llm_error_is_overflow(int kind);

/** Callbacks of one request, from the loop. All except the last two may be NULL. Exactly
 *  one of the last two is called, exactly once, unless the request is cancelled. */
struct llm_events {
	/** Streamed text or reasoning. */
	void (*delta)(void *arg, bool reasoning, const char *text, size_t len);
	/** An attempt failed and is retried after wait_ms; discard the text streamed so
	 *  far. */
	void (*retry)(void *arg, const struct llm_error *why, int64_t wait_ms);
	/** The wait is over: the request is sent again. */
	void (*again)(void *arg);
	/** A model failed permanently, and its fallback `next` is tried; discard the text
	 *  streamed so far. */
	void (*switched)(void *arg, const struct llm_error *why, const struct llm *next);
	void (*done)(void *arg, struct llm_reply *reply);  /* owns the reply */
	void (*failed)(void *arg, const struct llm_error *error);
};

/** Start a request; nothing is sent before the loop runs. If the dialect refuses the
 *  request (a script's expectation, an image that is too large), the call fails
 *  immediately. The request and the data it borrows must live until the exchange ends:
 *  they may be encoded again, for another model or with other parameters. Most retries
 *  send the same bytes. `reply_index`: number of replies in the conversation so far.
 *  `record` (may be NULL) gets the body that was sent, for tests and llm/ logs. */
int llm_send(struct llm *l, const struct llm_request *request, int64_t reply_index,
	     const struct llm_events *events, void *arg, struct strbuf *record,
	     struct llm_exchange **ret, struct error *err);
/** Encode messages of a long request in advance of llm_send, starting at message
 *  `*place`, until `end` (CLOCK_MONOTONIC, ns). `*place` moves past the encoded
 *  messages.
 *  @return true: call it again. False: llm_send encodes the rest. */
bool llm_encode_ahead(struct llm *l, const struct llm_request *r, size_t *place,
		      uint64_t end);
/** Cancel the request; no further callback is called. */
void llm_cancel(struct llm_exchange *x);

#endif
