/* SPDX-License-Identifier: MIT
 *
 * file-history.h - tells the editor how the agent saw and changed a file by other
 * means. */
#ifndef HOST_FEATURES_FILE_HISTORY_H
#define HOST_FEATURES_FILE_HISTORY_H

#include "controller/feature.h"

extern const struct feature file_history_feature;

#endif
