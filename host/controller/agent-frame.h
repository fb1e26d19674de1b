/* SPDX-License-Identifier: MIT
 *
 * agent-frame.h - one agent of a conversation: its configured parts and its own state. */
#ifndef HOST_CONTROLLER_AGENT_FRAME_H
#define HOST_CONTROLLER_AGENT_FRAME_H

#include "controller/plugins/plugin-component.h"
#include "tools/catalog.h"

enum { AGENT_PARTS_MAX = 16 };

/** One agent of a conversation: the one that talks to the user, or one to which another
 *  delegated with the action `delegate`. */
struct agent_frame {
	struct agent_frame *above; /* the agent that waits for this one; NULL: none */
	char *section;             /* its configuration: "controller", "controller.NAME" */
	int64_t start, delegation; /* the first event in its history; the action that
				    * started it, -1: the first agent */
	struct history *history;
	struct request_messages *memory;
	struct catalog catalog;
	struct llm_router *router;
	struct llm *llm;           /* the model, where no rule chooses another */
	struct plugin_component plugin;
	struct plugin_component parts[AGENT_PARTS_MAX]; /* for agent_parts of a feature */
	size_t part_count;
	struct plan *plan;         /* actions planned from a reply; NULL: none */
	char *state_text;          /* state that the plugin saved */
	void **feature_states;     /* one for each feature, in table order */
};

#endif
