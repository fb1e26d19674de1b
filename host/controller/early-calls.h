/* SPDX-License-Identifier: MIT
 *
 * early-calls.h - calls that were sent before it was their turn. */
#ifndef HOST_CONTROLLER_EARLY_CALLS_H
#define HOST_CONTROLLER_EARLY_CALLS_H

#include "controller/call.h"

enum { PARALLEL_MAX = 16 };

/** Calls of the reply that were sent early, in its order. */
struct early_calls {
	struct call *list[PARALLEL_MAX];
	size_t count;
	uint64_t made;           /* in this conversation, for their numbers */
};

/** Take the call at this position in the reply, owned, because it is next. NULL: none. */
struct call *early_calls_take(struct early_calls *all, size_t index);
/** Cancel a call, if it was sent early and has no result yet. */
void early_call_cancel(const struct call *call, struct runner *link);
/** Cancel and free all of them. */
void early_calls_cancel(struct early_calls *all, struct runner *link);
void early_calls_free(struct early_calls *all);

#endif
