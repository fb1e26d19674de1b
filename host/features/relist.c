/* SPDX-License-Identifier: MIT
 *
 * relist.c - holds the next request until the toolsets that list their tools at run time
 * have listed them: those that reported a change, so that the request offers what the last
 * result mentions, and before the first request those whose list is not cached. */
#include "features/relist.h"

#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/step.h"

/* Of a conversation. */
struct relist {
	bool awaited;      /* the next step waits for a list */
	uint64_t deadline; /* time of the loop in ms; 0: not waiting */
	uv_timer_t *timer; /* expires at the deadline; NULL: not needed so far */
};

enum { RELIST_MS = 5000 }; /* the request is sent without the list */

static void relist_continue(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	if (r->timer)
		uv_timer_stop(r->timer);
	if (!r->awaited)
		return;
	r->awaited = false;
	step_run_ready(c);
}

static void on_time(uv_timer_t *timer)
{
	relist_continue(timer->data);
}

static bool relist_watch(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	if (!r->timer) {
		r->timer = calloc(1, sizeof *r->timer);
		if (!r->timer)
			return false;
		uv_timer_init(conversation_loop(c), r->timer);
		r->timer->data = c;
	}
	return uv_timer_start(r->timer, on_time, RELIST_MS, 0) == 0;
}

/* Does a toolset list its tools for the first time? */
static bool is_unlisted(const struct conversation *c)
{
	return catalog_is_awaited(&conversation_agent(c)->catalog) &&
	       evlog_replies(conversation_log(c)) == 0;
}

static bool has_to_wait(const struct conversation *c)
{
	struct runner *runner = conversation_runner(c);

	return runner && (runner_changing(runner) || is_unlisted(c));
}

static const char *relist_block_step(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	if (!conversation_agent(c)->above && !conversation_runner(c) && is_unlisted(c))
		dispatch_start_runner(
			c, NULL); /* the first call reports why it cannot start */
	if (conversation_agent(c)->above || !has_to_wait(c)) {
		r->deadline = 0;
		return NULL;
	}
	if (!r->deadline) {
		if (!relist_watch(c))
			return NULL;
		r->deadline = uv_now(conversation_loop(c)) + RELIST_MS;
	}
	r->awaited = uv_now(conversation_loop(c)) < r->deadline;
	return r->awaited ? "waiting for a tool list" : NULL;
}

static void continue_if_listed(struct conversation *c)
{
	if (!has_to_wait(c))
		relist_continue(c);
}

static void relist_on_closed(uv_handle_t *handle)
{
	free(handle);
}

static void relist_release(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	r->awaited = false;
	if (r->timer)
		uv_close((uv_handle_t *)r->timer, relist_on_closed);
	r->timer = NULL;
}

const struct feature relist_feature = {
	.name = "tool lists",
	.state_size = sizeof(struct relist),
	.blocks_step = relist_block_step,
	.tools_listed = continue_if_listed,
	.runner_closed = continue_if_listed,
	.release = relist_release,
};
