/* SPDX-License-Identifier: MIT
 *
 * view-invariants.h - invariants of every view, regardless of what was condensed (those
 * of OpenHands V1): one result for a call, no call without its result, the calls of one
 * reply together, and complete loops of tool calls that signed thinking started. */
#ifndef HOST_CONTEXT_VIEW_INVARIANTS_H
#define HOST_CONTEXT_VIEW_INVARIANTS_H

#include <mortise/plugin.h>
#include <stdbool.h>

/** The facts about one event that the rules need. */
struct view_fact {
	int32_t batch;   /* number of the reply of its call; -1: none */
	int32_t call;    /* number of its call, or of the call it answers; -1: none */
	int32_t loop;    /* set by view_invariants_number_loops; -1: none */
	bool is_action;  /* the event shows its call */
	bool answered;   /* an action that is also the result of its call: an error of a
	                  * call that became no action */
	bool thinking;   /* the reply started with signed thinking */
};

/** Numbers the loops: each starts with an action that follows signed thinking, and ends at
 *  the next one or at any event that is neither a call nor a result. */
void view_invariants_number_loops(struct view_fact *facts, size_t count);

/** Clear `shown` for events that the rules forbid, given the other shown events.
 *  @return MT_OK or MT_ENOMEM. */
int view_invariants_apply(const struct view_fact *facts, size_t count,
			  unsigned char *shown);

/** Determine where a view may be cut, given the facts of its positions (NULL: a
 *  summary): `ret_allowed` has count + 1 flags. @return MT_OK or MT_ENOMEM. */
int view_invariants_cuts(const struct view_fact *const *places, size_t count,
			 unsigned char *ret_allowed);

/** Mark the events that the event at a position requires, including itself: its call, the
 *  other calls of its reply, and the reply whose thinking started their loop. A loop may
 *  be sent with only these events. */
void view_invariants_mates(const struct view_fact *const *places, size_t count,
			   size_t place, unsigned char *marks);

/** Set `shown` for the events that the shown ones require in a request: the calls of one
 *  reply, their results, and the reply whose thinking started a loop. @return MT_OK or
 *  MT_ENOMEM. */
int view_invariants_complete(const struct view_fact *const *places, size_t count,
			     unsigned char *shown);

#endif
