/* SPDX-License-Identifier: MIT
 *
 * step.h - the steps of the agent. */
#ifndef HOST_CONTROLLER_STEP_H
#define HOST_CONTROLLER_STEP_H

#include "error.h"

struct conversation;

struct mt_ctx;

/** Run steps until one has to wait. */
void step_run_ready(struct conversation *c);
/** A step failed with this status: the conversation is in error or, if a signal
 *  interrupted a plugin, paused. */
void step_fail(struct conversation *c, int r, int exit_code, const char *why);
/** The exit code for a step that failed: EXIT_TOOL if a plugin did, otherwise
 *  `otherwise`. */
int step_exit_code(const struct mt_ctx *x, int otherwise);
/** Request a step, because of an event. */
void step_request(struct conversation *c);
/** Let the agent work on a view once its events are read. This may take later iterations
 *  of the loop; then `x` is taken. */
int step_advance_prepared(struct conversation *c, struct mt_ctx *x, struct error *err);
/** Send the request of the agent once it is encoded; otherwise like
 *  step_advance_prepared. */
int step_send(struct conversation *c, struct mt_ctx *x, struct error *err);
/** Read the history for a step that features allowed, and start the step. This may take
 *  later iterations of the loop. */
void step_prepared(struct conversation *c);

#endif
