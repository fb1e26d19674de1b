/* SPDX-License-Identifier: MIT
 *
 * questions.h - questions of tools to the user. */
#ifndef HOST_FEATURES_QUESTIONS_H
#define HOST_FEATURES_QUESTIONS_H

#include "controller/feature.h"

extern const struct feature questions_feature;

#endif
