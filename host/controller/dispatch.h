/* SPDX-License-Identifier: MIT
 *
 * dispatch.h - makes the pending call, and starts the runner. */
#ifndef HOST_CONTROLLER_DISPATCH_H
#define HOST_CONTROLLER_DISPATCH_H

#include "error.h"

struct conversation;

/** Make the pending call, unless a feature handles it. */
void dispatch_call(struct conversation *c);
void dispatch_send(struct conversation *c);
/** Start the runner, if it is not running, before it is needed. */
int dispatch_start_runner(struct conversation *c, struct error *err);

#endif
