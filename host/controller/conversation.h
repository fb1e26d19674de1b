/* SPDX-License-Identifier: MIT
 *
 * conversation.h - the public interface of a conversation: its state, log and
 * watchers.
 *
 * All functions are for the thread of the loop. Watchers are notified from inside them
 * or from the loop; they may call any of its functions except conversation_close. */
#ifndef HOST_CONTROLLER_CONVERSATION_H
#define HOST_CONTROLLER_CONVERSATION_H

#include "events/agent-state.h"
#include "events/evlog.h"
#include "llm/llm.h"
#include <uv.h>

struct conversation;

/** Stop everything, write the checkpoint, shut down the runner; `done` is called after
 *  everything is closed and freed. */
void conversation_close(struct conversation *c, void (*done)(void *arg), void *arg);
/** Send input to the running tool, as if typed; it is logged only if the tool echoes it.
 *  Tools that do not read input ignore it. */
int conversation_input(struct conversation *c, const char *bytes, size_t len,
		       struct error *err);

/* ---- state -------------------------------------------------------------- */

const char *conversation_id(const struct conversation *c);
/** Group of its tools for limits: its ancestors and itself. */
const char *conversation_group(const struct conversation *c);
/** The parent conversation; "": none. */
const char *conversation_parent(const struct conversation *c);
const char *conversation_title(const struct conversation *c);
const char *conversation_workspace(const struct conversation *c);
enum agent_state conversation_state(const struct conversation *c);
/** The reason of the state: "" or a sentence. */
const char *conversation_reason(const struct conversation *c);
/** True while a request or a call is in progress. */
bool conversation_busy(const struct conversation *c);
struct evlog *conversation_log(const struct conversation *c);
/** The usage of all its models; NULL: it has no model. */
const struct llm_usage_totals *conversation_bill(const struct conversation *c);
int conversation_runner_pid(const struct conversation *c); /* -1: none yet */

/** Callbacks of a watcher. Any member may be NULL. */
struct watcher {
	/** An event has been logged. */
	void (*event)(void *arg, const struct event *e);
	/** The reply as it streams; logged when it is complete. */
	void (*delta)(void *arg, bool reasoning, const char *text, size_t len);
	/** Live output of the running action. */
	void (*output)(void *arg, int64_t action, const char *bytes, size_t len);
	void (*progress)(void *arg, int64_t action, double done, double total,
			 const char *message);
	/** A request failed and is retried; discard the text streamed so far. */
	void (*retry)(void *arg, const struct llm_error *why, int64_t wait_ms);
	/** The state has changed (after its event). */
	void (*state)(void *arg, enum agent_state state, const char *reason);
	/** The events after `to` were reverted. */
	void (*rewound)(void *arg, int64_t to);
	/** A reply is complete; it includes the cost. */
	void (*reply)(void *arg, const struct llm_reply *reply);
	/** A feature has published something. `topic` is one of the arrays that features
	 *  declare, compared by address; its declaration states the type of `data`, which
	 *  is borrowed. */
	void (*published)(void *arg, const char *topic, const void *data);
	/** A notice for the user that is not an event. */
	void (*notice)(void *arg, int level, const char *text);
};
/** Add a watcher; `w` is borrowed until it is removed. @return a handle, or a status. */
int conversation_watch(struct conversation *c, const struct watcher *w, void *arg);
void conversation_unwatch(struct conversation *c, int handle);

#endif
