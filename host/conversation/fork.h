/* SPDX-License-Identifier: MIT
 *
 * fork.h - creates a conversation that starts as a copy of another. */
#ifndef HOST_CONVERSATION_FORK_H
#define HOST_CONVERSATION_FORK_H

#include "config/config.h"
#include "js.h"

struct conversation_options;

struct fork_options {
	const char *id;    /* complete */
	int64_t at;        /* the last event to copy; -1: the newest */
	const char *title; /* NULL: the original workspace */
	const struct config *into; /* configuration with its state directory; NULL: the
				    * same */
	const struct conversation_options *child; /* for a subagent: its id, parent,
						   * depth, place and title; NULL: not
						   * a subagent */
};

/** Copy the events up to `at` (or fewer, so that no call lacks its result) into a new
 *  conversation that waits for the user. The original may be open elsewhere. `ret_at`:
 *  the last event copied. The new id is owned. Usage starts at zero; the workspace is the
 *  same directory. */
int conversation_fork(const struct config *config, const struct fork_options *o,
		      char **ret_id, int64_t *ret_at, struct error *err);

/** Replies in the log of a fork whose cost belongs to the original. */
int64_t fork_inherited(json_object *meta);

#endif
