/* SPDX-License-Identifier: MIT
 *
 * agents.h - the agents of a conversation. One is active; those that wait for it form
 * a stack. */
#ifndef HOST_CONTROLLER_AGENTS_H
#define HOST_CONTROLLER_AGENTS_H

#include "controller/agent-frame.h"
#include "error.h"

struct conversation;

/** The configuration of [controller.NAME]; NULL: not loaded. */
const struct agent_frame *agents_find(const struct conversation *c, const char *name);
/** The first agent of the conversation, which talks to the user. */
struct agent_frame *agents_first(const struct conversation *c);
/** Number of agents that wait for the active one. */
unsigned agents_waiting(const struct conversation *c);
/** Number of waiting agents plus ancestors of the conversation. */
int agents_depth(const struct conversation *c);
/** Is the maximum number of waiting agents reached? */
bool agents_full(const struct conversation *c);
/** Activate the agent configured as `w` for this action; the current agent waits. */
int agents_push(struct conversation *c, const struct agent_frame *w, int64_t action,
		struct error *err);
/** Remove the active agent and activate the one that waits for it. */
void agents_pop(struct conversation *c);
/** Create the history and the request messages of the new active agent. */
int agents_open_memory(struct conversation *c, struct error *err);
/** Remove all agents but the first. */
void agents_drop(struct conversation *c);
/** All catalogs with callable tools; the caller frees the array. */
const struct catalog **agents_catalogs(const struct conversation *c, size_t *ret_count);
/** The key of the current agent's state in the log; 256 bytes. */
void agents_state_key(const struct conversation *c, char *ret);

#endif
