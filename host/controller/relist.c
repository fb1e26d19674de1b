/* SPDX-License-Identifier: MIT
 *
 * relist.c - holds the next request until toolsets that said that their tools are
 * others have listed them, so that it offers what the last result speaks of. */
#include "controller/relist.h"

#include "controller/core.h"
#include "controller/step.h"

enum { RELIST_MS = 5000 }; /* a toolset that does not list holds nobody longer */

static void go_on(struct conversation *c)
{
	if (c->tool_list_timer)
		uv_timer_stop(c->tool_list_timer);
	if (!c->tool_list_awaited)
		return;
	c->tool_list_awaited = false;
	step_run_ready(c);
}

static void on_time(uv_timer_t *timer)
{
	go_on(timer->data);
}

static bool watch(struct conversation *c)
{
	if (!c->tool_list_timer) {
		c->tool_list_timer = calloc(1, sizeof *c->tool_list_timer);
		if (!c->tool_list_timer)
			return false;
		uv_timer_init(c->loop, c->tool_list_timer);
		c->tool_list_timer->data = c;
	}
	return uv_timer_start(c->tool_list_timer, on_time, RELIST_MS, 0) == 0;
}

bool relist_holds(struct conversation *c)
{
	if (c->parent_count || !c->link || !runner_changing(c->link)) {
		c->tool_list_deadline = 0;
		return false;
	}
	if (!c->tool_list_deadline) {
		if (!watch(c))
			return false;
		c->tool_list_deadline = uv_now(c->loop) + RELIST_MS;
	}
	c->tool_list_awaited = uv_now(c->loop) < c->tool_list_deadline;
	return c->tool_list_awaited;
}

void relist_arrived(struct conversation *c)
{
	if (!c->link || !runner_changing(c->link))
		go_on(c);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void relist_close(struct conversation *c)
{
	c->tool_list_awaited = false;
	if (c->tool_list_timer)
		uv_close((uv_handle_t *)c->tool_list_timer, on_closed);
	c->tool_list_timer = NULL;
}
