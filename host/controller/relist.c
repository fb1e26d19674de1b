/* SPDX-License-Identifier: MIT
 *
 * relist.c - holds the next request until toolsets that said that their tools are
 * others have listed them, so that it offers what the last result speaks of. */
#include "controller/internal.h"

enum { RELIST_MS = 5000 }; /* a toolset that does not list holds nobody longer */

static void go_on(struct conversation *c)
{
	if (c->relist)
		uv_timer_stop(c->relist);
	if (!c->held)
		return;
	c->held = false;
	kick(c);
}

static void on_time(uv_timer_t *timer)
{
	go_on(timer->data);
}

static bool watch(struct conversation *c)
{
	if (!c->relist) {
		c->relist = calloc(1, sizeof *c->relist);
		if (!c->relist)
			return false;
		uv_timer_init(c->loop, c->relist);
		c->relist->data = c;
	}
	return uv_timer_start(c->relist, on_time, RELIST_MS, 0) == 0;
}

bool relist_holds(struct conversation *c)
{
	if (c->level || !c->link || !runner_changing(c->link)) {
		c->held_until = 0;
		return false;
	}
	if (!c->held_until) {
		if (!watch(c))
			return false;
		c->held_until = uv_now(c->loop) + RELIST_MS;
	}
	c->held = uv_now(c->loop) < c->held_until;
	return c->held;
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
	c->held = false;
	if (c->relist)
		uv_close((uv_handle_t *)c->relist, on_closed);
	c->relist = NULL;
}
