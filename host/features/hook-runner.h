/* SPDX-License-Identifier: MIT
 *
 * hook-runner.h - runs the hooks of the user around messages, calls, and the end of
 * the agent's work. Without hooks every point continues immediately. */
#ifndef HOST_FEATURES_HOOK_RUNNER_H
#define HOST_FEATURES_HOOK_RUNNER_H

#include "controller/feature.h"

extern const struct feature hooks_feature;

#endif
