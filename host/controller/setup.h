/* SPDX-License-Identifier: MIT
 *
 * setup.h - the set-up script of a project. */
#ifndef HOST_CONTROLLER_SETUP_H
#define HOST_CONTROLLER_SETUP_H

#include "controller/feature.h"

extern const struct feature setup_feature;

#endif
