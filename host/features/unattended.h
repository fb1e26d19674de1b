/* SPDX-License-Identifier: MIT
 *
 * unattended.h - continues or ends the work of an agent that waits for the user in a
 * non-interactive run. */
#ifndef HOST_FEATURES_UNATTENDED_H
#define HOST_FEATURES_UNATTENDED_H

#include "controller/feature.h"

extern const struct feature unattended_feature;

/** Reset the count of consecutive replies without a call, because the agent gets more
 *  work. */
void unattended_reset(const struct agent_frame *agent);

#endif
