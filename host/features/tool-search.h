/* SPDX-License-Identifier: MIT
 *
 * tool-search.h - offers many tools by name only, until the model asks for them. */
#ifndef HOST_FEATURES_TOOL_SEARCH_H
#define HOST_FEATURES_TOOL_SEARCH_H

#include "controller/feature.h"

extern const struct feature tool_search_feature;

#endif
