/* SPDX-License-Identifier: MIT
 *
 * corrections.h - answers a call that the model wrote in another form with the correct
 * form. */
#ifndef HOST_FEATURES_CORRECTIONS_H
#define HOST_FEATURES_CORRECTIONS_H

#include "controller/feature.h"

extern const struct feature corrections_feature;

#endif
