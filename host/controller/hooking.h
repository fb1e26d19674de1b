/* SPDX-License-Identifier: MIT
 *
 * hooking.h - the moments of a conversation at which hooks are run, and what
 * their words change. Without hooks every function is a step to the next. */
#ifndef HOST_CONTROLLER_HOOKING_H
#define HOST_CONTROLLER_HOOKING_H

#include "controller/state.h"
#include "events/event.h"

struct conversation;
struct hooking;

/** Read which hooks there are. */
int hooking_open(struct conversation *c, struct error *err);
struct hooking *hooking_free(struct hooking *h);
/** Whatever runs is ended; what waited for it is dropped or answered. */
void hooking_cancel(struct conversation *c);
/** Does something wait for hooks before the agent may step? */
bool hooking_busy(const struct conversation *c);

/** A message of the user: held until its hooks have passed it. *ret_held false:
 *  say it now. */
int hooking_say(struct conversation *c, const char *text, size_t len,
		json_object *images, bool *ret_held, struct error *err);
/** The conversation shall go on: held until the session has begun. */
bool hooking_continue(struct conversation *c);
/** The pending action is about to be called. false: call it now. */
bool hooking_before(struct conversation *c, struct event *action, const char *tool);
/** Its observation, not logged yet; takes it when true. */
bool hooking_after(struct conversation *c, struct event *action, const char *tool,
		   struct event *observation);
/** The agent comes to rest of its own accord: go to this state, unless a hook has
 *  more for it to do. `reason` is text that stays. */
void hooking_rest(struct conversation *c, enum agent_state state, const char *reason);
/** The conversation is being closed. false: close it now. */
bool hooking_end(struct conversation *c);

#endif
