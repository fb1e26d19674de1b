/* SPDX-License-Identifier: MIT
 *
 * evlog-delegations.c - matches each `delegate` action of a log with the observation that
 * ends it, as events are logged. */
#include "events/evlog-internal.h"

static bool is_delegation(const struct evlog_head *head)
{
	return !head->undone && head->type->id == ACTION_DELEGATE;
}

/* The delegation that an event ends; -1: none. OpenHands does not write the cause: such
 * an observation ends the innermost delegation. */
static int32_t log_delegations_ended_by(const struct log_index *x, size_t id)
{
	const struct evlog_head *head = &x->heads[id];

	if (head->type->is_action || head->undone)
		return -1;
	if (head->cause < 0)
		return head->type->id == OBSERVATION_DELEGATE ? x->delegations - 1 : -1;
	return (size_t)head->cause < id && is_delegation(&x->heads[head->cause])
		       ? head->cause
		       : -1;
}

static void leave_innermost(struct log_index *x)
{
	struct evlog_head *head = &x->heads[x->delegations - 1];

	head->in_progress = false;
	x->delegations = head->owner + 1;
}

/* Ending a delegation also ends all delegations that started in it. */
static void log_delegations_leave(struct log_index *x, int32_t begin)
{
	while (x->heads[begin].in_progress)
		leave_innermost(x);
}

void delegation_match(struct log_index *x, size_t id)
{
	struct evlog_head *head = &x->heads[id];
	int32_t begin = log_delegations_ended_by(x, id);

	head->owner = x->delegations - 1;
	head->partner = begin;
	head->in_progress = is_delegation(head);
	if (head->in_progress)
		x->delegations = (int32_t)id + 1;
	if (begin < 0)
		return;
	if (x->heads[begin].partner < 0)
		x->heads[begin].partner = (int32_t)id;
	log_delegations_leave(x, begin);
}

void delegations_unmatch(struct log_index *x, size_t first)
{
	if (first >= x->count)
		return;
	x->delegations = x->heads[first].owner + 1;
	for (size_t i = first; i < x->count; i++) {
		struct evlog_head *head = &x->heads[i];
		int32_t begin = head->type->is_action ? -1 : head->partner;

		if (begin >= 0 && x->heads[begin].partner == (int32_t)i)
			x->heads[begin].partner = -1;
		head->owner = x->delegations - 1;
		head->partner = -1;
		head->in_progress = false;
	}
	for (int32_t id = x->delegations - 1; id >= 0; id = x->heads[id].owner)
		x->heads[id].in_progress = true;
}

static int64_t partner(const struct evlog *log, int64_t id, bool action)
{
	const struct evlog_head *head = evlog_head(log, id);

	return head && head->type->is_action == action ? head->partner : -1;
}

int64_t evlog_delegation_end(const struct evlog *log, int64_t action)
{
	return partner(log, action, true);
}

int64_t evlog_delegation_begin(const struct evlog *log, int64_t id)
{
	return partner(log, id, false);
}

int64_t evlog_delegation_owner(const struct evlog *log, int64_t id)
{
	const struct evlog_head *head = evlog_head(log, id);

	return head ? head->owner : log->index.delegations - 1;
}
