/* SPDX-License-Identifier: MIT
 *
 * relist.c - holds the next request until toolsets that said that their tools are
 * others have listed them, so that it offers what the last result speaks of. */
#include "features/relist.h"

#include "controller/feature-api.h"
#include "controller/step.h"

/* Of a conversation. */
struct relist {
	bool awaited;      /* the next step waits for a list */
	uint64_t deadline; /* ms of the loop; 0: no wait */
	uv_timer_t *timer; /* expires at the deadline; NULL: never needed yet */
};

enum { RELIST_MS = 5000 }; /* a toolset that does not list holds nobody longer */

static void go_on(struct conversation *c)
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
	go_on(timer->data);
}

static bool watch(struct conversation *c)
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

static const char *block_step(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	if (conversation_waiting_agents(c) || !conversation_runner(c) ||
	    !runner_changing(conversation_runner(c))) {
		r->deadline = 0;
		return NULL;
	}
	if (!r->deadline) {
		if (!watch(c))
			return NULL;
		r->deadline = uv_now(conversation_loop(c)) + RELIST_MS;
	}
	r->awaited = uv_now(conversation_loop(c)) < r->deadline;
	return r->awaited ? "a list of tools is awaited" : NULL;
}

static void continue_if_listed(struct conversation *c)
{
	if (!conversation_runner(c) || !runner_changing(conversation_runner(c)))
		go_on(c);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

static void release(struct conversation *c)
{
	struct relist *r = feature_state(c, &relist_feature);

	r->awaited = false;
	if (r->timer)
		uv_close((uv_handle_t *)r->timer, on_closed);
	r->timer = NULL;
}

const struct feature relist_feature = {
	.name = "tool lists",
	.state_size = sizeof(struct relist),
	.blocks_step = block_step,
	.tools_listed = continue_if_listed,
	.runner_closed = continue_if_listed,
	.release = release,
};
