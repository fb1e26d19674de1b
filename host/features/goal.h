/* SPDX-License-Identifier: MIT
 *
 * goal.h - a command of the user that must succeed before the agent may become idle. */
#ifndef HOST_FEATURES_GOAL_H
#define HOST_FEATURES_GOAL_H

#include "controller/feature.h"

/** Set the goal of a conversation and tell the agent. "off": remove it; "": only report.
 *  `ret_text`: a sentence for the user, owned. */
int goal_set(struct conversation *c, const char *command, char **ret_text,
	     struct error *err);

extern const struct feature goal_feature;

#endif
