/* SPDX-License-Identifier: MIT
 *
 * environment-command.h - commands that run in the shell of the agent without being
 * actions of the agent or the user. */
#ifndef HOST_FEATURES_ENVIRONMENT_COMMAND_H
#define HOST_FEATURES_ENVIRONMENT_COMMAND_H

#include "controller/call.h"
#include "controller/feature-api.h"

/** The call of a command; `seconds` is its time limit. `hidden`: the model does not read
 *  its output. @return it, owned, or NULL with `err` filled. */
struct call *environment_command(struct conversation *c, const char *command, bool hidden,
				 int64_t seconds, struct error *err);
/** Log the call and make it the pending one; takes it. @return its action, or a
 *  status. */
int64_t environment_command_start(struct conversation *c, struct call *call,
				  struct error *err);

#endif
