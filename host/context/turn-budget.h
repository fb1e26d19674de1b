/* SPDX-License-Identifier: MIT
 *
 * turn-budget.h - limits the total length of the results of one reply. */
#ifndef HOST_CONTEXT_TURN_BUDGET_H
#define HOST_CONTEXT_TURN_BUDGET_H

#include "context/message-turn.h"

/** Replace the parts of the longest results of a turn by shortened ones, which name a file
 *  with the rest. The same results are always shortened the same way. */
int turn_budget_apply(struct message_turn *t, const struct request_messages_options *o);

#endif
