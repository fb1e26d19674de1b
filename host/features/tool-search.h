/* SPDX-License-Identifier: MIT
 *
 * tool-search.h - offers tools by name only, until the model requests them. */
#ifndef HOST_FEATURES_TOOL_SEARCH_H
#define HOST_FEATURES_TOOL_SEARCH_H

#include "controller/feature.h"

extern const struct feature tool_search_feature;

#endif
