/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.h - read-only calls that run in parallel with the pending one. */
#ifndef HOST_CONTROLLER_PARALLEL_CALLS_H
#define HOST_CONTROLLER_PARALLEL_CALLS_H

#include "tools/runner-connection.h"

enum { PARALLEL_MAX = 16 };

struct call;
struct conversation;

/** Calls of the reply that were sent before their turn, in its order. */
struct parallel_calls {
	struct call *list[PARALLEL_MAX];
	size_t count;
	uint64_t made;           /* in this conversation, for their numbers */
};

/** The pending call was sent: those behind it in the reply are sent too, as long as
 *  they only read and can run in parallel. */
void parallel_start(struct conversation *c);
/** The early call of this place in the reply, owned: its turn has come. NULL: none. */
struct call *parallel_take(struct conversation *c, size_t index);
/** The turn of a call has come. @return was it sent already? */
bool parallel_claim(struct call *call);
/** Keep the result of a call whose turn has not come. @return false: it has come. */
bool parallel_buffer_result(struct conversation *c, const struct runner_result *result);
/** The action that a call of the runner is for; -1: its turn has not come. */
int64_t parallel_action_of(const struct conversation *c, uint64_t number);
/** A call that was sent early is not made: cancel it. */
void parallel_drop(struct conversation *c, const struct call *call);
/** Cancel all calls whose turn has not come. */
void parallel_cancel(struct conversation *c);
void parallel_free(struct parallel_calls *all);

#endif
