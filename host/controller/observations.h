/* SPDX-License-Identifier: MIT
 *
 * observations.h - logs the observations of actions. */
#ifndef HOST_CONTROLLER_OBSERVATIONS_H
#define HOST_CONTROLLER_OBSERVATIONS_H

#include "events/event.h"

struct conversation;

/** Log the observation of an action, which is then no longer pending. Takes `e`. */
void observation_log(struct conversation *c, struct event *action, struct event *e,
		     struct error *err);
/** Log the answer to an action, which is then no longer pending. */
void observation_log_answer(struct conversation *c, struct event *action,
			    const char *type, const char *text, struct error *err);
/** Log an observation that reports why the pending action has no result. */
void observation_log_failure(struct conversation *c, struct event *action,
			     const char *error_id, const char *text);
/** Log the observation of a denied action; the model reads the reason. */
void observation_log_denial(struct conversation *c, struct event *action,
			    const char *why);

#endif
