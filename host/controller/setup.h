/* SPDX-License-Identifier: MIT
 *
 * setup.h - the set-up script of a project. */
#ifndef HOST_CONTROLLER_SETUP_H
#define HOST_CONTROLLER_SETUP_H

#include "events/event.h"

struct conversation;

/** The conversation begins: run the set-up script of the project, if there is one
 *  that may run, and git for the changes, if that is wanted. The agent waits. */
void setup_begin(struct conversation *c);
/** This action has its observation in the log: what comes after it, if it was one of
 *  these. */
void setup_continue(struct conversation *c, const struct event *action);
/** An action has its observation: say so if it was the script, and failed. */
void setup_report_failure(struct conversation *c, const struct event *action,
			  const struct event *e);

#endif
