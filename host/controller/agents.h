/* SPDX-License-Identifier: MIT
 *
 * agents.h - the agents of a conversation. One is active; those that wait for it form
 * a stack. */
#ifndef HOST_CONTROLLER_AGENTS_H
#define HOST_CONTROLLER_AGENTS_H

#include "controller/agent-frame.h"
#include "error.h"

struct conversation;

/** The configuration of [controller.NAME]; NULL: it was not loaded. */
const struct agent_frame *agents_find(const struct conversation *c, const char *name);
/** The first agent of the conversation, which talks to the user. */
struct agent_frame *agents_first(const struct conversation *c);
/** How many agents wait for the active one. */
unsigned agents_waiting(const struct conversation *c);
/** The same with the ancestors of the conversation. */
int agents_depth(const struct conversation *c);
/** May no more agents wait? */
bool agents_full(const struct conversation *c);
/** Activate the agent configured as `w`, because of this action; the current one waits.
 *  */
int agents_push(struct conversation *c, const struct agent_frame *w, int64_t action,
		struct error *err);
/** Remove the active agent and activate the one that waits for it. */
void agents_pop(struct conversation *c);
/** Make the history and the messages of the active agent, which is new. */
int agents_open_memory(struct conversation *c, struct error *err);
/** All but the first agent are gone. */
void agents_drop(struct conversation *c);
/** All catalogs of tools that may be called; freed by the caller. */
const struct catalog **agents_catalogs(const struct conversation *c, size_t *ret_count);
/** The name under which the log keeps the state of the current agent; 256 bytes. */
void agents_state_key(const struct conversation *c, char *ret);

#endif
