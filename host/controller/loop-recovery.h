/* SPDX-License-Identifier: MIT
 *
 * loop-recovery.h - what happens when the agent is stuck in a loop. */
#ifndef HOST_CONTROLLER_LOOP_RECOVERY_H
#define HOST_CONTROLLER_LOOP_RECOVERY_H

#include "controller/feature.h"

/** The reason of an error state begins with it. */
#define STUCK_ERROR "AgentStuckInLoopError: Agent got stuck in a loop"
void stuck_configure(struct conversation *c, const char *section);

extern const struct feature loop_recovery_feature;

#endif
