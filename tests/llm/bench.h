/* SPDX-License-Identifier: MIT
 *
 * bench.h - a model on an event loop, and the result of one request to it. */
#ifndef TESTS_LLM_BENCH_H
#define TESTS_LLM_BENCH_H

#include "config/config.h"
#include "llm/llm.h"
#include "registry/registry.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>
#include <string.h>

struct bench {
	uv_loop_t *loop;
	struct config *config;
	struct registry *registry;
	struct llm_pool *pool;
	struct llm *llm;
	struct error err;
};

struct result {
	struct llm_reply *reply;   /* NULL: it failed */
	struct llm_error error;
	struct strbuf text, reasoning; /* as they streamed */
	size_t retries, deltas, switches;
	int64_t last_wait_ms;
	bool over;
};

static inline bool bench_open(struct bench *b, uv_loop_t *loop, const char *model,
			      const char *const *settings)
{
	struct config_input in = { .overrides = settings };

	*b = (struct bench){ .loop = loop };
	while (settings[in.override_count])
		in.override_count++;
	return config_load(&in, &b->config, &b->err) == MT_OK &&
	       registry_open(b->config, &b->registry, &b->err) == MT_OK &&
	       (b->pool = llm_pool_new(b->loop, &b->err)) &&
	       llm_open(b->pool, b->config, b->registry, "llm", model, NULL, &b->llm,
			&b->err) == MT_OK;
}

static inline void bench_close(struct bench *b)
{
	b->llm = llm_free(b->llm);
	b->pool = llm_pool_free(b->pool);
	uv_run(b->loop, UV_RUN_DEFAULT);
	b->registry = registry_free(b->registry);
	b->config = config_free(b->config);
}

static inline void result_clear(struct result *r)
{
	llm_reply_free(r->reply);
	strbuf_clear(&r->text);
	strbuf_clear(&r->reasoning);
	*r = (struct result){ .text = STRBUF(1 << 26), .reasoning = STRBUF(1 << 26) };
}

static inline void on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	struct result *r = arg;

	r->deltas++;
	strbuf_addn(reasoning ? &r->reasoning : &r->text, text, len);
}

static inline void on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	struct result *r = arg;

	r->retries++;
	r->error = *why;
	r->last_wait_ms = wait_ms;
	strbuf_reset(&r->text);
	strbuf_reset(&r->reasoning);
}

static inline void on_switched(void *arg, const struct llm_error *why,
			       const struct llm *next)
{
	struct result *r = arg;

	(void)next;
	r->switches++;
	r->error = *why;
}

static inline void on_reply(void *arg, struct llm_reply *reply)
{
	struct result *r = arg;

	r->reply = reply;
	r->over = true;
}

static inline void on_failed(void *arg, const struct llm_error *error)
{
	struct result *r = arg;

	r->error = *error;
	r->over = true;
}

static const struct llm_events bench_events = {
	.delta = on_delta, .retry = on_retry, .switched = on_switched, .done = on_reply,
	.failed = on_failed,
};

/* Send and wait; a request that cannot be sent is a failure with its error. */
static inline void bench_send(struct bench *b, const struct llm_request *q, int64_t index,
			      struct strbuf *record, struct result *r)
{
	struct error err = ERROR_NONE;

	result_clear(r);
	if (llm_send(b->llm, q, index, &bench_events, r, record, NULL, &err)) {
		r->error.kind = -1;
		snprintf(r->error.text, sizeof r->error.text, "%s", err.text);
		r->over = true;
		return;
	}
	while (!r->over && uv_run(b->loop, UV_RUN_ONCE))
		;
}

/* A request with one user message. */
static inline struct llm_request *ask(const char *text)
{
	struct llm_request *q = llm_request_new();
	struct llm_part *part = calloc(1, sizeof *part);

	part->text = text;
	part->len = strlen(text);
	llm_request_own(q, part);
	llm_request_add(q, &(struct llm_message){ .role = MT_ROLE_USER, .parts = part,
						  .part_count = 1 });
	return q;
}

#endif
