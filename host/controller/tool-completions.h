/* SPDX-License-Identifier: MIT
 *
 * tool-completions.h - requests of tools to a model. */
#ifndef HOST_CONTROLLER_TOOL_COMPLETIONS_H
#define HOST_CONTROLLER_TOOL_COMPLETIONS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct conversation;

/** A tool asks something of a model. @return false: it asks something else. */
bool tool_completion_request(struct conversation *c, uint64_t call, uint64_t request,
			     const char *method, json_object *params);
/** The call that asked has ended, or will: so does its request. */
void tool_completion_cancel(struct conversation *c);

#endif
