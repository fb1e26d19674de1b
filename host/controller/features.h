/* SPDX-License-Identifier: MIT
 *
 * features.h - calls the features at the points of feature.h, in table order. */
#ifndef HOST_CONTROLLER_FEATURES_H
#define HOST_CONTROLLER_FEATURES_H

#include "controller/feature.h"

/** All features, in the order in which they are called; the last is NULL. */
extern const struct feature *const features_table[];

#define EACH_FEATURE(f)                                                                   \
	for (const struct feature *f, *const *at_ = features_table; (f = *at_); at_++)

/* The arguments of a point are evaluated once for each feature that implements it. */

/** Notify all features: FEATURES_TELL(after_message, c, first). */
#define FEATURES_TELL(point, ...)                                                         \
	do {                                                                              \
		EACH_FEATURE(f_)                                                          \
		if (f_->point)                                                            \
			f_->point(__VA_ARGS__);                                           \
	} while (0)

/** Query the features until one returns a nonzero answer: true, a string, or an error
 *  status. @return that answer, or 0. */
#define FEATURES_ASK(point, ...)                                                          \
	__extension__({                                                                   \
		__typeof__(features_table[0]->point(__VA_ARGS__)) answer_ = 0;            \
		EACH_FEATURE(f_)                                                          \
		if (f_->point && (answer_ = f_->point(__VA_ARGS__)))                      \
			break;                                                            \
		answer_;                                                                  \
	})

/** The same for a point that returns a status, until a feature has set *ret_taken, which
 *  is also one of the arguments. */
#define FEATURES_TRY(ret_taken, point, ...)                                               \
	__extension__({                                                                   \
		int r_ = MT_OK;                                                           \
		*(ret_taken) = false;                                                     \
		EACH_FEATURE(f_)                                                          \
		if (f_->point && ((r_ = f_->point(__VA_ARGS__)) || *(ret_taken)))         \
			break;                                                            \
		r_;                                                                       \
	})

/* ---- states of features ---- */
/** Allocate the states of all features. @return MT_OK or MT_ENOMEM. */
int features_allocate(struct conversation *c);
/** Free the states, after the point `release`. */
void features_free(struct conversation *c);
/** Allocate the states of all features for an agent that becomes active, and notify
 *  them. */
int features_open_agent(struct conversation *c, struct agent_frame *agent,
			struct error *err);
void features_close_agent(struct agent_frame *agent);

/* ---- contents of their tables ---- */
/** @return true: a feature handled the action. */
bool features_handle_action(struct conversation *c, struct event *action);
/** The handler of an action that a user sends; NULL: no feature has one. */
const struct action_handler *features_user_action(const struct event *action);
/** The plugins that each agent lists for a feature; NULL: none. */
const struct agent_parts *features_agent_parts(void);
/** The option that lists more agents, if this agent, or any (NULL), needs it; NULL:
 *  none. */
const char *features_agents_option(const struct agent_frame *agent);
/** The section of the n-th feature that has one; NULL past the last. */
const char *features_section(size_t n);
/** The n-th name of usage_states of all features; NULL past the last. */
const char *features_usage_state(size_t n);

/* ---- points that are called differently ---- */
/** The feature that has the point suspends the step. */
int features_suspend_step(struct conversation *c, struct mt_ctx *x, struct error *err);
/** Does any feature offer different tools? All features are called. */
bool features_offer_changed(struct conversation *c);
/** If no feature has the point, there is one agent, which has worked until now. */
int features_restore_agents(struct conversation *c, restore_agent_fn *each,
			    struct error *err);

#endif
