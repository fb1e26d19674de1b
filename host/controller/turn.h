/* SPDX-License-Identifier: MIT
 *
 * turn.h - the turn of an agent: what is planned from a reply, and what is pending. */
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

/* ---- the pending action ---- */
/** The runnable action that has no observation yet; -1: none. */
int64_t turn_pending(const struct conversation *c);
bool turn_is_idle(const struct conversation *c);
/** Is an action pending that does not wait for the user's approval? */
bool turn_is_running(const struct conversation *c);
bool turn_awaits_approval(const struct conversation *c);
/** The action `id` is pending from now on. */
void turn_start_action(struct conversation *c, int64_t id);
/** The action `id` has its observation. @return was it the pending one? */
bool turn_finish_action(struct conversation *c, int64_t id);
void turn_await_approval(struct conversation *c);
void turn_end_approval(struct conversation *c);
/** An action of the log whose effect is still to come, after a restart; -1: none. */
int64_t turn_uncommitted(const struct conversation *c);
void turn_set_uncommitted(struct conversation *c, int64_t id);
/** Nothing is pending, uncommitted or waiting for approval. */
void turn_reset(struct conversation *c);
/** Keep the call of the pending action, which is dispatched; moved from `call`. */
void turn_set_call(struct conversation *c, struct call *call);
/** The tool that runs the pending action; NULL: it is not dispatched. */
const struct tool *turn_tool(const struct conversation *c);

/* ---- the plan of the current agent ---- */
enum plan_type { PLAN_CALL, PLAN_ACTION, PLAN_MESSAGE, PLAN_ERROR };
/** Add an action to the plan. `argument`: PLAN_MESSAGE: 1 if it waits for the user.
 *  `event`: PLAN_ACTION: its type. Both texts are copied. */
int turn_plan(struct conversation *c, enum plan_type type, size_t argument,
	      const char *event, struct mt_str text, struct error *err);
/** The same for a call of the reply. MT_EINVAL: it has no such call. */
int turn_plan_call(struct conversation *c, size_t call, struct error *err);
bool turn_has_planned(const struct conversation *c);
/** Carry out the next planned action. */
void turn_take_planned(struct conversation *c);
/** The reply whose outputs are planned; borrowed, NULL: none. */
const struct llm_reply *turn_reply(const struct conversation *c);
/** The planned call `ahead` places after the next; NULL: another kind, or none. */
const struct llm_call *turn_planned_call(const struct conversation *c, size_t ahead,
					 size_t *ret_index);
/** Drop what is planned. */
void turn_clear(struct conversation *c);
/** The same, for an agent that ends. */
void turn_plan_free(struct conversation *c);
/** Drop it; the model reads of each call why it was not made. */
void turn_refuse(struct conversation *c, const char *why);
/** Plan what a reply asks for; takes `reply`. `done` of it is in the log. */
int turn_replan(struct conversation *c, struct llm_reply *reply, size_t done,
		struct error *err);
/** Does the log hold other arguments of a call, because a secret was masked? */
bool turn_call_is_masked(const struct llm_reply *reply, size_t n);

/* ---- errors ---- */
/** An error that the model reads; `meta_of` (may be NULL): the action or reply
 *  call that it answers. */
void turn_log_error(struct conversation *c, const char *call_id, const char *function,
		    const char *text);

#endif
