/* SPDX-License-Identifier: MIT
 *
 * questions.h - questions of tools to the user. */
#ifndef HOST_CONTROLLER_QUESTIONS_H
#define HOST_CONTROLLER_QUESTIONS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct conversation;

/** A tool asks something: is it for the user, and can one be asked? */
bool questions_request(struct conversation *c, uint64_t call, uint64_t request,
		       const char *method, json_object *params);
/** The call is over, and what it asked; with `all` every call is. */
void questions_close(struct conversation *c, uint64_t call, bool all);

#endif
