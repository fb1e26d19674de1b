/* SPDX-License-Identifier: MIT
 *
 * feature-api.h - the functions with which a feature reads and changes a conversation.
 *
 * A feature does not see struct conversation. Steps, the pending action and its
 * observation are in step.h, turn.h and dispatch.h. */
#ifndef HOST_CONTROLLER_FEATURE_API_H
#define HOST_CONTROLLER_FEATURE_API_H

#include "controller/agent-frame.h"
#include "controller/conversation.h"
#include "controller/feature.h"
#include "mask.h"
#include "tools/runner-connection.h"

/* ---- reading; everything is borrowed ---- */
/** The agent that works now. */
struct agent_frame *conversation_agent(const struct conversation *c);
/** How many agents wait for it. */
unsigned conversation_waiting_agents(const struct conversation *c);
struct analyzers *conversation_analyzers(const struct conversation *c);
/** Number of ancestors of this conversation. */
int conversation_depth(const struct conversation *c);
struct config *conversation_config(const struct conversation *c);
uv_loop_t *conversation_loop(const struct conversation *c);
struct mask *conversation_secrets(const struct conversation *c);
/** NULL: the conversation has used no model. */
struct llm_models *conversation_models(const struct conversation *c);
/** The connection to the runner; NULL: it is not running. */
struct runner *conversation_runner(const struct conversation *c);
/** Replies in the log whose cost belongs to another conversation. */
int64_t conversation_inherited_replies(const struct conversation *c);
/** Number of events in the log when the latest request was sent. */
int64_t conversation_request_events(const struct conversation *c);
/** Last known directory of the shell; NULL: unknown. */
const char *conversation_shell_dir(const struct conversation *c);
bool conversation_is_closing(const struct conversation *c);
/** No user can answer. */
bool conversation_is_headless(const struct conversation *c);
/** A user can approve actions. */
bool conversation_is_interactive(const struct conversation *c);

/* ---- events and states ---- */
/** Append an event and notify the watchers. Takes the reference, which may be NULL (then
 *  `err` has the reason). If the log cannot be written, the conversation ends in error.
 *  @return its id or a status. */
int64_t conversation_log_event(struct conversation *c, struct event *e,
			       struct error *err);
/** evlog_barrier; if it fails, the conversation is in error. */
int conversation_barrier(struct conversation *c, struct error *err);
/** Enter a state, with its side effects and its event; durable if the state is idle. */
void conversation_set_state(struct conversation *c, enum agent_state state,
			    const char *reason);
/** The two halves of conversation_set_state, for events that have to be logged between
 *  them: the event, and the notification of watchers. */
void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason);
void conversation_notify_state(struct conversation *c);
/** Restore a state from the log of a resumed conversation. */
void conversation_restore_state(struct conversation *c, enum agent_state state);
/** State error with this sentence and exit code. */
void conversation_set_error(struct conversation *c, int exit_code, const char *fmt, ...)
	MT_PRINTF(3, 4);
/** The exit code of the error state that is being entered. */
int conversation_error_code(const struct conversation *c);
/** The error was one of a subagent and does not affect the conversation. */
void conversation_clear_error(struct conversation *c);
/** The agent becomes idle, unless a feature has more work for it. `reason` must be a
 *  static string. */
void conversation_rest(struct conversation *c, enum agent_state state,
		       const char *reason);
/** Cancel what is in progress, without effect. */
void conversation_cancel_work(struct conversation *c);
/** Add a message that a feature held (before_message). */
int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, struct error *err);
/** Close a conversation that a feature held open (before_close, keeps_open). */
void conversation_close_begin(struct conversation *c);
void conversation_close_finish(struct conversation *c);

/* ---- telling the watchers ---- */
void conversation_notice(struct conversation *c, int level, const char *fmt, ...)
	MT_PRINTF(3, 4);
void conversation_notify_questions(struct conversation *c, const struct question *open);
void conversation_notify_asks(struct conversation *c, const char *child);
/** The text with its secrets masked, in `ret`. @return ret->text. */
const char *conversation_mask_text(const struct conversation *c, const char *text,
				   struct strbuf *ret);

#endif
