/* SPDX-License-Identifier: MIT
 *
 * setup.h - runs the setup script of a project. */
#ifndef HOST_FEATURES_SETUP_H
#define HOST_FEATURES_SETUP_H

#include "controller/feature.h"

extern const struct feature setup_feature;

#endif
