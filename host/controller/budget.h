/* SPDX-License-Identifier: MIT
 *
 * budget.h - the account of a conversation. */
#ifndef HOST_CONTROLLER_BUDGET_H
#define HOST_CONTROLLER_BUDGET_H

#include "config/config.h"
#include "controller/feature.h"
#include "controller/limits.h"
#include "llm/llm.h"

struct conversation;

/** Reads the limits of a section [controller...]. What it inherits from `above` (NULL:
 *  nothing) is a limit of the whole, which its parents hold already. */
void budget_configure(struct budget *a, const struct config *config, const char *section,
		      const char *above);
/** Count the time of work up to now; called before and after a state changes. */
void budget_update_clock(struct conversation *c);
/** Whatever is under way ends when the time of work is over, if that is limited.
 *  To be called when the agent begins to work, and when a limit was raised. */
void budget_start_timer(struct conversation *c);
void budget_charge_reply(struct conversation *c, const struct llm_usage *usage);
/** LIMITS_...: is one reached? Then the sentence is in `text`. */
bool budget_reached(struct conversation *c, unsigned which, char *text, size_t room);
/** Stop because of it: the model reads why, the state is error. */
void budget_stop(struct conversation *c, const char *text);
/** Keep the account in the log, and take it from there. `worked`: seconds. */
void budget_log(struct conversation *c);
void budget_restore(struct conversation *c, const struct llm_metrics *m, double worked);

extern const struct feature limits_feature;

#endif
