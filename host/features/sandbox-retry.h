/* SPDX-License-Identifier: MIT
 *
 * sandbox-retry.h - asks the user whether a command that the sandbox refused may run again
 * with what it lacked. */
#ifndef HOST_FEATURES_SANDBOX_RETRY_H
#define HOST_FEATURES_SANDBOX_RETRY_H

#include "controller/feature.h"

extern const struct feature sandbox_retry_feature;

#endif
