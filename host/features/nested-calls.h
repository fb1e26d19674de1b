/* SPDX-License-Identifier: MIT
 *
 * nested-calls.h - calls of tools that the code of another tool makes. */
#ifndef HOST_FEATURES_NESTED_CALLS_H
#define HOST_FEATURES_NESTED_CALLS_H

#include "controller/feature.h"

extern const struct feature nested_calls_feature;

#endif
