/* SPDX-License-Identifier: MIT
 *
 * tool-completions.h - model requests of tools. */
#ifndef HOST_FEATURES_TOOL_COMPLETIONS_H
#define HOST_FEATURES_TOOL_COMPLETIONS_H

#include "controller/feature.h"

extern const struct feature tool_completions_feature;

#endif
