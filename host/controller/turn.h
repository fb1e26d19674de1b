/* SPDX-License-Identifier: MIT
 *
 * turn.h - the turn of an agent: the actions planned from a reply, and the pending
 * call. */
#ifndef HOST_CONTROLLER_TURN_H
#define HOST_CONTROLLER_TURN_H

#include "controller/call.h"
#include "llm/llm.h"

#include <mortise/plugin.h>

#include <stdint.h>

enum { PLANNED_MAX = 256 };

struct conversation;
struct turn; /* of a conversation */
struct plan; /* of an agent; NULL: nothing is planned */

/** @return a turn in which nothing is pending, or NULL. */
struct turn *turn_new(void);
struct turn *turn_free(struct turn *t);

/* ---- the pending call ---- */
/** The call whose action has no observation yet; NULL: none. It is valid until its
 *  observation is logged. */
struct call *turn_call(const struct conversation *c);
/** Id of the action of the pending call; -1: none. */
int64_t turn_pending(const struct conversation *c);
/** The action of a call in the runner; -1: an early call, not logged yet. */
int64_t turn_action_of(const struct conversation *c, uint64_t number);
bool turn_is_idle(const struct conversation *c);
/** Is a call pending that does not wait for the user's approval? */
bool turn_is_running(const struct conversation *c);
bool turn_awaits_approval(const struct conversation *c);
/** Make this call the pending one; takes it. */
void turn_start(struct conversation *c, struct call *call);
/** Suspend the pending call for another call. @return it, owned; turn_start resumes
 *  it. */
struct call *turn_suspend(struct conversation *c);
/** End the action `id`, which has its observation. @return its call, owned, if it was the
 *  pending one, or NULL. */
struct call *turn_finish(struct conversation *c, int64_t id);
void turn_await_approval(struct conversation *c);
/** Use a logged copy of the action of the pending call, as it was approved. */
void turn_repeat(struct conversation *c, struct event *action);
/** An action of the log that had no effect before a restart; -1: none. */
int64_t turn_uncommitted(const struct conversation *c);
void turn_set_uncommitted(struct conversation *c, int64_t id);
/** Cancel the running call of the agent, for the user; the call ends with its result.
 *  If it already has its result, cancel only the work of features that follows it. */
void turn_interrupt(struct conversation *c);
/** Reset the turn: nothing is pending, uncommitted or waiting for approval. */
void turn_reset(struct conversation *c);

/* ---- the plan of the current agent ---- */
enum plan_type { PLAN_CALL, PLAN_ACTION, PLAN_MESSAGE, PLAN_ERROR };
/** Add an action to the plan. `argument`: PLAN_MESSAGE: 1 if it waits for the user.
 *  `event`: PLAN_ACTION: its type. Both texts are copied. */
int turn_plan(struct conversation *c, enum plan_type type, size_t argument,
	      const char *event, struct mt_str text, struct error *err);
/** Add a call of the reply to the plan. MT_EINVAL: the reply has no such call. */
int turn_plan_call(struct conversation *c, size_t call, struct error *err);
bool turn_has_planned(const struct conversation *c);
/** Drop the first planned actions. */
void turn_skip_planned(struct conversation *c, size_t count);
/** Drop the whole plan. */
void turn_clear(struct conversation *c);
/** Free the plan of an agent that ends. */
void turn_plan_free(struct conversation *c);
/** Drop the plan and take `reply`; actions planned from now on belong to it. */
int turn_set_reply(struct conversation *c, struct llm_reply *reply, struct error *err);

#endif
