/* SPDX-License-Identifier: MIT
 *
 * dispatch.h - runs the pending action and logs its observation. */
#ifndef HOST_CONTROLLER_DISPATCH_H
#define HOST_CONTROLLER_DISPATCH_H

#include "events/event.h"

#include <stdint.h>

struct conversation;

/** Make the pending call after its hooks have allowed it. */
void dispatch_call(struct conversation *c);
void dispatch_send(struct conversation *c);
/** Log the observation of an action; it is pending no longer. Takes `e`. */
void dispatch_log_observation(struct conversation *c, struct event *action,
			      struct event *e, struct error *err);
/** The observation of a denied action; the model reads the reason. */
void dispatch_log_denial(struct conversation *c, struct event *action, const char *why);
/** Start the runner if it is not running, so that it is ready when needed. */
int dispatch_start_runner(struct conversation *c, struct error *err);
/** The observation of an action, which is pending no longer. */
void dispatch_log_answer(struct conversation *c, struct event *action, const char *type,
			 const char *text, struct error *err);
/** An observation that reports why the pending action has no result. */
void dispatch_log_failure(struct conversation *c, struct event *action,
			  const char *error_id, const char *text);

#endif
