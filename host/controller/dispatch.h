/* SPDX-License-Identifier: MIT
 *
 * dispatch.h - runs the pending action and logs its observation. */
#ifndef HOST_CONTROLLER_DISPATCH_H
#define HOST_CONTROLLER_DISPATCH_H

#include "events/event.h"

#include <stdint.h>

struct conversation;

struct tool;

/** Execute the pending action, when its hooks have passed it. */
void dispatch_action(struct conversation *c, struct event *action);
void dispatch_send(struct conversation *c, struct event *action);
/** Log the observation of an action; it is pending no longer. Takes `e`. */
void dispatch_log_observation(struct conversation *c, struct event *action,
			      struct event *e, struct error *err);
/** The observation of an action that must not run; the model reads why. */
void dispatch_log_denial(struct conversation *c, struct event *action, const char *why);
/** The action as it is executed: its arguments may hold secrets, which the log
 *  masks. @return a reference, or NULL with a sentence for the model: the process
 *  that knew them has ended. */
struct event *dispatch_unmasked_action(const struct conversation *c, struct event *action,
				       struct error *err);
/** The action as the log has it or will have it, its secrets masked. @return a
 *  reference; NULL: out of memory. */
struct event *dispatch_masked_action(const struct conversation *c, struct event *action);
/** When the call of this action is ended by force, in ms. */
int64_t dispatch_deadline(const struct conversation *c, const struct tool *tool,
			  const struct event *action);
/** Start the runner if it is not there, so that it is ready when needed. */
int runner_start(struct conversation *c, struct error *err);
/** Start it once the request that was just sent is on its way. */
void runner_soon(struct conversation *c);
/** The observation of an action, which is pending no longer. */
void dispatch_log_answer(struct conversation *c, struct event *action, const char *type,
			 const char *text, struct error *err);
/** An observation that says why the pending action has none of its own. */
void dispatch_log_failure(struct conversation *c, struct event *action,
			  const char *error_id, const char *text);

#endif
