/* SPDX-License-Identifier: MIT
 *
 * handles.h - the addresses that functions of this worker returned: the only addresses
 * that a model may pass. */
#ifndef RUNNER_HANDLES_H
#define RUNNER_HANDLES_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum { HANDLES_MAX = 4096 }; /* the oldest ones are discarded */

void handle_given(const void *handle);
void handle_ended(const void *handle);
/** Append a handle in its form for the model: 0x and lowercase hexadecimal digits. */
int handle_put(struct strbuf *out, const void *handle);
/** Parse a handle from the model. `name`: of the argument. */
int handle_read(const char *name, const char *text, void **ret, struct error *err);

#endif
