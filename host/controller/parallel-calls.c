/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.c - runs read-only calls of one reply in parallel: while one is
 * pending, the calls after it are sent too. Events keep the order of the reply: an
 * early result is buffered until its call is the pending one. */
#include "controller/parallel-calls.h"

#include "controller/core.h"
#include "controller/early-calls.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/turn-actions.h"

#include <mortise/tool.h>

#include <string.h>

enum { PARALLEL_HINTS = MT_TOOL_READ_ONLY | MT_TOOL_PARALLEL };

static const uint64_t first_number = 1000000000000; /* actions have smaller ones */

/* ---- calls whose turn has not come ------------------------------------------- */

static struct call *parallel_find(const struct conversation *c, uint64_t number)
{
	const struct early_calls *all = turn_early(c);
	struct call *pending = turn_call(c);

	if (pending && pending->early && pending->number == number)
		return pending;
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->number == number)
			return all->list[i];
	return NULL;
}

int64_t parallel_action_of(const struct conversation *c, uint64_t number)
{
	const struct call *pending = turn_call(c);

	if (pending && !pending->early && pending->number == number)
		return pending->id;
	return number < first_number ? (int64_t)number : -1;
}

bool parallel_buffer_result(struct conversation *c, const struct runner_result *result)
{
	struct call *call = parallel_find(c, result->call);

	if (call)
		call_keep_result(call, result);
	return call;
}

bool parallel_claim(struct call *call)
{
	bool early = call->early;

	call->early = false;
	return early;
}

/* ---- sending ------------------------------------------------------------------ */

/* How many calls can be sent in addition to the pending one. */
static size_t parallel_room(const struct conversation *c)
{
	int64_t most = config_int(c->config, c->agent->section, "parallel_calls") - 1;
	int64_t left = features_calls_left(c);
	size_t sent = turn_early(c)->count;

	if (most > left)
		most = left;
	if (most > PARALLEL_MAX)
		most = PARALLEL_MAX;
	return most > (int64_t)sent ? (size_t)most - sent : 0;
}

/* May it run in parallel with others? */
static bool is_parallel(const struct conversation *c, const struct call *call)
{
	const struct tool *tool = call->tool;

	return tool && tool->trusted &&
	       (tool->hints & PARALLEL_HINTS) == PARALLEL_HINTS &&
	       !FEATURES_ASK(needs_order, c);
}

/* @return false: it cannot be sent early. */
static bool send_early(struct conversation *c, struct call *call)
{
	const char *text;
	size_t len;

	if (!call->args || !is_parallel(c, call) || FEATURES_ASK(may_hold, c, call))
		return false;
	text = js_text(call->args, &len);
	call->number = first_number + ++turn_early(c)->made;
	call->early = true;
	call->sent_at = uv_hrtime();
	return text && !runner_call(c->link, call->number, call_instance(c, call),
				    call->tool->real, text, len, call->deadline_ms, NULL);
}

void parallel_start(struct conversation *c)
{
	struct early_calls *all = turn_early(c);
	size_t most = is_parallel(c, turn_call(c)) ? parallel_room(c) : 0;

	while (most-- > 0 && all->count < PARALLEL_MAX) {
		size_t index = 0;
		AUTO(call) struct call *call = turn_planned_call(c, all->count, &index);

		if (!call || !send_early(c, call))
			return;
		call->index = index;
		all->list[all->count++] = STEAL(call);
	}
}
