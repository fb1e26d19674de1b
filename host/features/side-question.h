/* SPDX-License-Identifier: MIT
 *
 * side-question.h - questions of the user that are asked next to the conversation: the
 * model reads the conversation, which neither the question nor the answer changes. */
#ifndef HOST_FEATURES_SIDE_QUESTION_H
#define HOST_FEATURES_SIDE_QUESTION_H

#include "controller/feature.h"

extern const struct feature side_question_feature;

#endif
