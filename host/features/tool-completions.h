/* SPDX-License-Identifier: MIT
 *
 * tool-completions.h - requests of tools to a model. */
#ifndef HOST_FEATURES_TOOL_COMPLETIONS_H
#define HOST_FEATURES_TOOL_COMPLETIONS_H

#include "controller/feature.h"

extern const struct feature tool_completions_feature;

#endif
