/* SPDX-License-Identifier: MIT
 *
 * loop-recovery.h - what happens when the agent is stuck in a loop. */
#ifndef HOST_FEATURES_LOOP_RECOVERY_H
#define HOST_FEATURES_LOOP_RECOVERY_H

#include "controller/feature.h"

extern const struct feature loop_recovery_feature;

#endif
