/* SPDX-License-Identifier: MIT
 *
 * dispatch.h - makes and ends the pending call, and starts the runner.
 *
 * None of these functions runs a step: their callers call step_run_ready. */
#ifndef HOST_CONTROLLER_DISPATCH_H
#define HOST_CONTROLLER_DISPATCH_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct conversation;
struct overlay;
struct runner;
struct runner_events;
struct runner_result;

/** Make the pending call, unless a feature handles it. */
void dispatch_call(struct conversation *c);
void dispatch_send(struct conversation *c);
/** Send the pending call without asking the features before. */
void dispatch_send_checked(struct conversation *c);
/** Log that the pending call takes effect from now on. */
int dispatch_log(struct conversation *c, int64_t id, struct error *err);
/** Where another runner works. */
struct dispatch_place {
	const struct config *config;   /* of its sandbox */
	const struct overlay *overlay; /* of the workspace; NULL: none */
	const char *state_dir;         /* of the instances, as long as it runs */
	bool isolated;                 /* without the data of the installation, and what
					* plugins are granted */
};
/** Start another runner for the toolsets of the agent. */
int dispatch_open_runner(struct conversation *c, const struct dispatch_place *place,
			 const struct runner_events *events, void *arg,
			 struct runner **ret, struct error *err);
/** The directory of an instance in that of the conversation; owned. NULL: out of
 *  memory. */
char *dispatch_instance_dir(const struct conversation *c, const char *instance);
/** Start the runner, if it is not running, before it is needed. */
int dispatch_start_runner(struct conversation *c, struct error *err);
/** End the pending call with its result. A feature may delay its observation. */
void dispatch_end_call(struct conversation *c, const struct runner_result *result);
/** Pass live output of an action to the watchers, without secrets. `last`: also what was
 *  held back to find them. */
void dispatch_show_output(struct conversation *c, int64_t action, const char *bytes,
			  size_t len, bool last);
/** Count a failure of the runner, which the model cannot fix; after several in a row the
 *  conversation enters the error state. */
void dispatch_runner_failed(struct conversation *c, const char *why);
/** Close the runner; the next call starts another one. The shell keeps its directory and
 *  variables. No call is in progress. Features learn from `runner_closed` when it is
 *  closed. */
void dispatch_restart_runner(struct conversation *c);

#endif
