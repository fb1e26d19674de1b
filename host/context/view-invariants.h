/* SPDX-License-Identifier: MIT
 *
 * view-invariants.h - invariants of every view, whatever was condensed (V1's view
 * properties, spec/context 8.3): one result for a call, no call without its
 * result, the calls of one reply together, loops of tool calls that signed
 * thinking began whole. */
#ifndef HOST_CONTEXT_VIEW_INVARIANTS_H
#define HOST_CONTEXT_VIEW_INVARIANTS_H

#include <mortise/plugin.h>
#include <stdbool.h>

/** The facts about one event that the rules need. */
struct view_fact {
	int32_t batch;   /* the reply of its call, any numbering; -1: none */
	int32_t call;    /* the call that it makes or answers; -1: none */
	int32_t loop;    /* set by view_invariants_number_loops; -1: none */
	bool is_action;
	bool thinking;   /* the reply began with signed thinking */
};

/** Number the loops: each starts with an action that follows signed thinking, and ends at
 *  the next one or at any event that is neither a call nor a result. */
void view_invariants_number_loops(struct view_fact *facts, size_t count);

/** Clear `shown` where the rules forbid an event, given what else is shown.
 *  @return MT_OK or MT_ENOMEM. */
int view_invariants_apply(const struct view_fact *facts, size_t count,
			  unsigned char *shown);

/** Where a view, given as the facts of its places (NULL: a summary), may be cut:
 *  `ret_allowed` has count + 1 flags. @return MT_OK or MT_ENOMEM. */
int view_invariants_cuts(const struct view_fact *const *places, size_t count,
			 unsigned char *ret_allowed);

/** Mark the events that the event at a position requires, including itself: its call, the
 *  other calls of its reply, and the reply whose thinking started their loop. A loop of
 *  which only these are shown may be sent. */
void view_invariants_mates(const struct view_fact *const *places, size_t count,
			   size_t place, unsigned char *marks);

/** Set `shown` for the events that the shown ones require in a request: the calls of one
 *  reply, their results, and the reply whose thinking began a loop. @return MT_OK or
 *  MT_ENOMEM. */
int view_invariants_complete(const struct view_fact *const *places, size_t count,
			     unsigned char *shown);

#endif
