/* SPDX-License-Identifier: MIT
 *
 * hook-runner.h - the moments of a conversation at which hooks are run, and what
 * their words change. Without hooks every function is a step to the next. */
#ifndef HOST_CONTROLLER_HOOK_RUNNER_H
#define HOST_CONTROLLER_HOOK_RUNNER_H

#include "controller/state.h"
#include "events/event.h"

struct conversation;
struct hook_runner;
struct call;

/** Read which hooks there are. */
int hook_runner_open(struct conversation *c, struct error *err);
struct hook_runner *hook_runner_free(struct hook_runner *h);
/** Whatever runs is ended; what waited for it is dropped or answered. */
void hook_runner_cancel(struct conversation *c);
/** Does something wait for hooks before the agent may step? */
bool hook_runner_is_busy(const struct conversation *c);

/** A message of the user: held until its hooks have passed it. *ret_held false:
 *  say it now. */
int hook_runner_message(struct conversation *c, const char *text, size_t len,
			json_object *images, bool *ret_held, struct error *err);
/** The conversation shall go on: held until the session has begun. */
bool hook_runner_continue(struct conversation *c);
/** The pending action is about to be called. false: call it now. */
bool hook_runner_before_call(struct conversation *c, struct event *action,
			     const struct call *call);
/** Its observation, not logged yet; takes it when true. */
bool hook_runner_after_call(struct conversation *c, struct event *action,
			    const char *tool, struct event *observation);
/** The agent comes to rest of its own accord: go to this state, unless a hook has
 *  more for it to do. `reason` is text that stays. */
void hook_runner_rest(struct conversation *c, enum agent_state state, const char *reason);
/** The conversation is being closed. false: close it now. */
bool hook_runner_end(struct conversation *c);

#endif
