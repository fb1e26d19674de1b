/* SPDX-License-Identifier: MIT
 *
 * setup.h - the set-up script of a project. */
#ifndef HOST_CONTROLLER_SETUP_H
#define HOST_CONTROLLER_SETUP_H

#include "controller/feature.h"

/** The conversation begins: run the set-up script of the project, if there is one
 *  that may run, and git for the changes, if that is wanted. The agent waits. */
void setup_begin(struct conversation *c);

extern const struct feature setup_feature;

#endif
