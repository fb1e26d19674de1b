/* SPDX-License-Identifier: MIT
 *
 * file-history.h - informs the editor how the agent viewed or changed a file with other
 * tools. */
#ifndef HOST_FEATURES_FILE_HISTORY_H
#define HOST_FEATURES_FILE_HISTORY_H

#include "controller/feature.h"

extern const struct feature file_history_feature;

#endif
