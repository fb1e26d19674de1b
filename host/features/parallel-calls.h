/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.h - read-only calls that run in parallel with the pending one. */
#ifndef HOST_FEATURES_PARALLEL_CALLS_H
#define HOST_FEATURES_PARALLEL_CALLS_H

#include "controller/feature.h"

extern const struct feature parallel_calls_feature;

#endif
