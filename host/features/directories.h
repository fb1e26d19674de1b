/* SPDX-License-Identifier: MIT
 *
 * directories.h - tells the model which directories belong to the conversation in addition
 * to the workspace. */
#ifndef HOST_FEATURES_DIRECTORIES_H
#define HOST_FEATURES_DIRECTORIES_H

#include "controller/feature.h"

extern const struct feature directories_feature;

#endif
