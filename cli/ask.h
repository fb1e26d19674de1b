/* SPDX-License-Identifier: MIT
 *
 * ask.h - prompts for approval of an action at the terminal. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "conversation/conversation.h"

struct ask;

/** True if a terminal is available for prompts. */
bool ask_is_possible(void);
/** NULL if standard input or output is not a terminal, or out of memory. */
struct ask *ask_new(uv_loop_t *loop, struct conversation *c);
/** Prompt for the pending action, unless its prompt is open; or withdraw the prompt if
 *  the action is no longer pending. */
void ask_update(struct ask *a);
/** True if a prompt is open that the user can still answer. */
bool ask_is_open(const struct ask *a);
struct ask *ask_free(struct ask *a); /* the handle closes with the loop */

#endif
