/* SPDX-License-Identifier: MIT
 *
 * turn-budget.h - limits the total length of the results of one reply. */
#ifndef HOST_CONTEXT_TURN_BUDGET_H
#define HOST_CONTEXT_TURN_BUDGET_H

#include "context/message-turn.h"

/** Returns the length to which the longest of `count` texts must be cut, so that their
 *  total is at most `max` characters. SIZE_MAX: they fit. Sorts `lens`. */
size_t turn_budget_share(size_t *lens, size_t count, size_t max);
/** Replaces the parts of the longest results of a turn by shortened ones, which name a file
 *  with the rest. The same results are always shortened the same way. */
int turn_budget_apply(struct message_turn *t, const struct request_messages_options *o);

#endif
