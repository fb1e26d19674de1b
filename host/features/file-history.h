/* SPDX-License-Identifier: MIT
 *
 * file-history.h - tells the editor how else the agent saw and changed a file. */
#ifndef HOST_FEATURES_FILE_HISTORY_H
#define HOST_FEATURES_FILE_HISTORY_H

#include "controller/feature.h"

extern const struct feature file_history_feature;

#endif
