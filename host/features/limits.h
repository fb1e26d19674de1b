/* SPDX-License-Identifier: MIT
 *
 * limits.h - stops a conversation that has reached a limit. */
#ifndef HOST_FEATURES_LIMITS_H
#define HOST_FEATURES_LIMITS_H

#include "controller/feature.h"
#include "features/budget.h"
#include "llm/llm.h"

/** The account of an agent. Its parent is the account of the agent that waits for it. */
struct budget *limits_budget(const struct agent_frame *agent);
/** Is one of these limits (LIMITS_...) reached? If so, `text` gets the sentence. */
bool limits_reached(struct conversation *c, unsigned which, char *text, size_t room);
/** Charge the current agent for the usage of another conversation that worked for it. */
void limits_charge(struct conversation *c, const struct llm_metrics *m);
/** Did a limit of the whole conversation stop it, and not one of a delegate? */
bool limits_stopped_all(const struct conversation *c);
/** Save the account of the conversation in the log. */
void limits_log(struct conversation *c);

extern const struct feature limits_feature;

#endif
