/* SPDX-License-Identifier: MIT
 *
 * slices.h - reads a long history in slices, between iterations of the loop. */
#ifndef HOST_FEATURES_SLICES_H
#define HOST_FEATURES_SLICES_H

#include "controller/feature.h"

extern const struct feature slices_feature;

#endif
