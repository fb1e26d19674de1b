/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.c - runs read-only calls of one reply in parallel: while one is
 * pending, the calls after it are sent too. Events keep the order of the reply: an
 * early result is buffered until its call is the pending one. */
#include "features/parallel-calls.h"

#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/turn-actions.h"

#include <mortise/tool.h>

#include <string.h>

enum {
	PARALLEL_HINTS = MT_TOOL_READ_ONLY | MT_TOOL_PARALLEL,
	PARALLEL_MAX = 16,
};

/* Calls of the reply that were sent early, in the order of the reply. */
struct early_calls {
	struct call *list[PARALLEL_MAX];
	size_t count;
	uint64_t made; /* sent in this conversation; determines their numbers */
};

static struct early_calls *early_calls_of(const struct conversation *c)
{
	return feature_state(c, &parallel_calls_feature);
}

/* ---- calls whose turn has not come ------------------------------------------- */

static void keep_result(struct conversation *c, const struct runner_result *result)
{
	struct early_calls *all = early_calls_of(c);

	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->number == result->call)
			call_keep_result(all->list[i], result);
}

/* The call at this position in the reply is next. */
static struct call *take_early(struct conversation *c, size_t index)
{
	struct early_calls *all = early_calls_of(c);
	struct call *first = all->list[0];

	if (!all->count || first->index != index)
		return NULL;
	memmove(all->list, all->list + 1, --all->count * sizeof all->list[0]);
	return first;
}

static void cancel_early(struct conversation *c)
{
	struct early_calls *all = early_calls_of(c);

	for (size_t i = 0; i < all->count; i++)
		call_cancel_early(all->list[i], conversation_runner(c));
	while (all->count)
		call_free(all->list[--all->count]);
}

static bool holds_calls(const struct conversation *c)
{
	return early_calls_of(c)->count;
}

/* ---- sending ------------------------------------------------------------------ */

/* The lowest number of calls that a feature allows. */
static int64_t parallel_calls_left(const struct conversation *c)
{
	int64_t left = INT64_MAX;

	EACH_FEATURE(f)
	if (f->calls_left && f->calls_left(c) < left)
		left = f->calls_left(c);
	return left;
}

/* The number of calls that can be sent in addition to the pending one. */
static size_t parallel_room(const struct conversation *c)
{
	int64_t most = config_int(conversation_config(c), conversation_agent(c)->section,
				  "parallel_calls") -
		       1;
	int64_t left = parallel_calls_left(c);
	size_t sent = early_calls_of(c)->count;

	if (most > left)
		most = left;
	if (most > PARALLEL_MAX)
		most = PARALLEL_MAX;
	return most > (int64_t)sent ? (size_t)most - sent : 0;
}

/* May the call run in parallel with others? */
static bool is_parallel(const struct conversation *c, const struct call *call)
{
	const struct tool *tool = call->tool;

	return tool && tool->trusted &&
	       (tool->hints & PARALLEL_HINTS) == PARALLEL_HINTS &&
	       !FEATURES_ASK(needs_order, c);
}

/* @return false: the call cannot be sent early. */
static bool send_early(struct conversation *c, struct call *call)
{
	const char *text;
	size_t len;

	if (!call->args || !is_parallel(c, call) || FEATURES_ASK(may_hold, c, call))
		return false;
	text = js_text(call->args, &len);
	call->number = call_first_early + ++early_calls_of(c)->made;
	call->early = true;
	call->sent_at = uv_hrtime();
	return text &&
	       !runner_call(conversation_runner(c), call->number, call_instance(c, call),
			    call->tool->real, text, len, call->deadline_ms, NULL);
}

/* The pending call was sent: also send the calls after it in the reply, as long as they
 * are read-only and can run in parallel. */
static void parallel_start(struct conversation *c)
{
	struct early_calls *all = early_calls_of(c);
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

const struct feature parallel_calls_feature = {
	.name = "parallel calls",
	.state_size = sizeof(struct early_calls),
	.call_sent = parallel_start,
	.call_ended = keep_result,
	.early_call = take_early,
	.plan_dropped = cancel_early,
	.holds_calls = holds_calls,
	.cancel = cancel_early,
	.release = cancel_early,
};
