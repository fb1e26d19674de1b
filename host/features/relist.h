/* SPDX-License-Identifier: MIT
 *
 * relist.h - holds the next request while a toolset lists its tools. */
#ifndef HOST_FEATURES_RELIST_H
#define HOST_FEATURES_RELIST_H

#include "controller/feature.h"

extern const struct feature relist_feature;

#endif
