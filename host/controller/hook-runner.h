/* SPDX-License-Identifier: MIT
 *
 * hook-runner.h - the moments of a conversation at which hooks are run, and what
 * their words change. Without hooks every function is a step to the next. */
#ifndef HOST_CONTROLLER_HOOK_RUNNER_H
#define HOST_CONTROLLER_HOOK_RUNNER_H

#include "controller/feature.h"
#include "controller/state.h"
#include "events/event.h"

struct conversation;

/** Read which hooks there are. */
int hook_runner_open(struct conversation *c, struct error *err);

/** A message of the user: held until its hooks have passed it. *ret_held false:
 *  say it now. */
int hook_runner_message(struct conversation *c, const char *text, size_t len,
			json_object *images, bool *ret_held, struct error *err);
/** The conversation shall go on: held until the session has begun. */
bool hook_runner_continue(struct conversation *c);
/** The agent comes to rest of its own accord: go to this state, unless a hook has
 *  more for it to do. `reason` is text that stays. */
void hook_runner_rest(struct conversation *c, enum agent_state state, const char *reason);
/** The conversation is being closed. false: close it now. */
bool hook_runner_end(struct conversation *c);

extern const struct feature hooks_feature;

#endif
