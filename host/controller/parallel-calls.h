/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.h - read-only calls that run in parallel with the pending one. */
#ifndef HOST_CONTROLLER_PARALLEL_CALLS_H
#define HOST_CONTROLLER_PARALLEL_CALLS_H

#include "runner-client/runner-connection.h"

enum { PARALLEL_MAX = 16 };

struct call;
struct conversation;

/** Calls of the reply that were sent early, in its order. */
struct parallel_calls {
	struct call *list[PARALLEL_MAX];
	size_t count;
	uint64_t made;           /* in this conversation, for their numbers */
};

/** The pending call was sent: also send the calls after it in the reply, as long as they
 *  are read-only and can run in parallel. */
void parallel_start(struct conversation *c);
/** Take the early call at this position in the reply, owned, because it is next. NULL:
 *  none. */
struct call *parallel_take(struct conversation *c, size_t index);
/** A call becomes the pending one. @return true if it was already sent. */
bool parallel_claim(struct call *call);
/** Buffer the result of an early call. @return false: the call is the pending one. */
bool parallel_buffer_result(struct conversation *c, const struct runner_result *result);
/** The action of a runner call; -1: an early call, not logged yet. */
int64_t parallel_action_of(const struct conversation *c, uint64_t number);
/** Cancel an early call that is not made. */
void parallel_drop(struct conversation *c, const struct call *call);
/** Cancel all early calls. */
void parallel_cancel(struct conversation *c);
void parallel_free(struct parallel_calls *all);

#endif
