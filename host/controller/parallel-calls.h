/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.h - read-only calls that run in parallel with the pending one. */
#ifndef HOST_CONTROLLER_PARALLEL_CALLS_H
#define HOST_CONTROLLER_PARALLEL_CALLS_H

#include "tools/catalog.h"
#include "tools/runner-connection.h"

struct conversation;

/** A call of this tool is pending: sends the calls after it in the reply too, as long
 *  as they only read and may run in parallel. */
void parallel_start(struct conversation *c, const struct tool *pending);
/** Has this call left early? Then it is that of the action from now on.
 *  `ret_result`: it is over; NULL: its result is to come. */
bool parallel_claim(struct conversation *c, const struct tool *tool, const char *args,
		    int64_t action, const struct runner_result **ret_result);
/** Keep a result whose turn has not come. @return false: it has. */
bool parallel_buffer_result(struct conversation *c, const struct runner_result *result);
/** Which call of the link an action waits for; for which action a call is, -1: for
 *  none yet. */
uint64_t parallel_call_of(const struct conversation *c, int64_t action);
int64_t parallel_action_of(const struct conversation *c, uint64_t number);
void parallel_finish(struct conversation *c, uint64_t number);
/** What has left early and is not asked for any more ends. */
void parallel_cancel(struct conversation *c);
void parallel_free(struct conversation *c);

#endif
