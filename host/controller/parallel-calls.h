/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.h - read-only calls that run in parallel with the pending one. */
#ifndef HOST_CONTROLLER_PARALLEL_CALLS_H
#define HOST_CONTROLLER_PARALLEL_CALLS_H

#include "runner-client/runner-connection.h"

struct call;
struct conversation;

/** The pending call was sent: also send the calls after it in the reply, as long as they
 *  are read-only and can run in parallel. */
void parallel_start(struct conversation *c);
/** A call becomes the pending one. @return true if it was already sent. */
bool parallel_claim(struct call *call);
/** Buffer the result of an early call. @return false: the call is the pending one. */
bool parallel_buffer_result(struct conversation *c, const struct runner_result *result);
/** The action of a runner call; -1: an early call, not logged yet. */
int64_t parallel_action_of(const struct conversation *c, uint64_t number);

#endif
