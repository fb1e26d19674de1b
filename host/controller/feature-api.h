/* SPDX-License-Identifier: MIT
 *
 * feature-api.h - the functions with which every feature reads and changes a
 * conversation.
 *
 * A feature does not see struct conversation. Functions that only some features need
 * are in separate headers: the pending action and its observation in turn.h and
 * observations.h, steps in step.h, agents in agents.h, transitions in transitions.h,
 * closing in closing.h, analyzers and models in conversation-parts.h, watchers in
 * watchers.h. tests/layers.sh lists which features include them. */
#ifndef HOST_CONTROLLER_FEATURE_API_H
#define HOST_CONTROLLER_FEATURE_API_H

#include "controller/agent-frame.h"
#include "controller/conversation.h"
#include "controller/feature.h"
#include "mask.h"
#include "runner-client/runner-connection.h"

/* ---- reading; everything is borrowed ---- */
/** The active agent; `above` is the agent that waits for it. */
struct agent_frame *conversation_agent(const struct conversation *c);
struct config *conversation_config(const struct conversation *c);
uv_loop_t *conversation_loop(const struct conversation *c);
struct mask *conversation_secrets(const struct conversation *c);
/** The connection to the runner; NULL: it is not running. */
struct runner *conversation_runner(const struct conversation *c);
/** The workspace as tools see it, which the runtime may map to another path. Owned; NULL:
 *  memory ran out. */
char *conversation_tool_workspace(const struct conversation *c);
bool conversation_is_closing(const struct conversation *c);
/** No user is available to answer. */
bool conversation_is_headless(const struct conversation *c);
/** A reply without a call is the answer to the task, by default. */
bool conversation_takes_answer(const struct conversation *c);
/** A user can approve actions. */
bool conversation_is_interactive(const struct conversation *c);
/** It is a subagent, whose parent answers for the user. */
bool conversation_is_subagent(const struct conversation *c);

/* ---- changing ---- */
/** Append an event and notify the watchers. Takes the reference, which may be NULL (then
 *  `err` has the reason). If the log cannot be written, the conversation ends in error.
 *  @return its id or a status. */
int64_t conversation_log_event(struct conversation *c, struct event *e,
			       struct error *err);
/** Enter a state and log its event; durable if the state is idle. STATE_STOPPED and
 *  STATE_ERROR first cancel work in progress; a pending action gets an observation that
 *  reports this. May be called from callbacks of the loop. Features are not asked, so this
 *  stops the agent in any case; see conversation_rest. */
void conversation_set_state(struct conversation *c, enum agent_state state,
			    const char *reason);
/** The agent becomes idle, unless a feature has more work for it. `reason` must be a
 *  static string. */
void conversation_rest(struct conversation *c, enum agent_state state,
		       const char *reason);
/** Call evlog_barrier; if it fails, the conversation enters the error state. */
int conversation_barrier(struct conversation *c, struct error *err);
/** Enter the error state with this reason and exit code. */
void conversation_set_error(struct conversation *c, int exit_code, const char *fmt, ...)
	MT_PRINTF(3, 4);
/** Show the user a notice that is not an event. */
void conversation_notice(struct conversation *c, int level, const char *fmt, ...)
	MT_PRINTF(3, 4);

#endif
