/* SPDX-License-Identifier: MIT
 *
 * call.h - a tool call: the tool that runs an action and the arguments for it. */
#ifndef HOST_CONTROLLER_CALL_H
#define HOST_CONTROLLER_CALL_H

#include "tools/calls.h"

struct call {
	const struct tool *tool; /* borrowed from the catalog; NULL: no call */
	json_object *args;       /* owned */
};

/** The call of an action. An action that a call of the model gave names its tool; any
 *  other is looked up by the mappings of the catalog. @return a status with a sentence
 *  for the model; then *ret is empty. */
int call_resolve(const struct catalog *catalog, const struct event *action,
		 struct call *ret, struct error *err);
void call_clear(struct call *call);
#define AUTO_CALL __attribute__((cleanup(call_clear))) struct call

#endif
