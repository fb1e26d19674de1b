/* SPDX-License-Identifier: MIT
 *
 * follow-ups.h - tools that are called after a call that may have changed files. */
#ifndef HOST_FEATURES_FOLLOW_UPS_H
#define HOST_FEATURES_FOLLOW_UPS_H

#include "controller/feature.h"

extern const struct feature follow_ups_feature;

#endif
