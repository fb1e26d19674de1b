/* SPDX-License-Identifier: MIT
 *
 * ask.h - prompts for approval of an action at the terminal. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "conversation/conversation.h"

struct ask;

/** Is there a terminal to ask at? */
bool ask_is_possible(void);
/** NULL: standard input and output are not a terminal, so no user can be asked (or out
 *  of memory). */
struct ask *ask_new(uv_loop_t *loop, struct conversation *c);
/** Prompt for the waiting action, if there is one without a prompt; or withdraw the
 *  prompt if the action no longer waits. */
void ask_update(struct ask *a);
/** Is a prompt open that the user can still answer? */
bool ask_is_open(const struct ask *a);
struct ask *ask_free(struct ask *a); /* the handle closes with the loop */

#endif
