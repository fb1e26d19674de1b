/* SPDX-License-Identifier: MIT
 *
 * loop-recovery.h - what happens when the agent is stuck in a loop. */
#ifndef HOST_CONTROLLER_LOOP_RECOVERY_H
#define HOST_CONTROLLER_LOOP_RECOVERY_H

#include <stdbool.h>

struct conversation;

/** The reason of an error state begins with it. */
#define STUCK_ERROR "AgentStuckInLoopError: Agent got stuck in a loop"
void stuck_configure(struct conversation *c, const char *section);
/** If the agent goes in circles, tell the model, a person, or end.
 *  @return true if there is no step now. */
bool stuck_handle(struct conversation *c);

#endif
