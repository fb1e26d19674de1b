/* SPDX-License-Identifier: MIT
 *
 * offered-tools.h - the tools that requests offer, and the first event, which lists
 * them. */
#ifndef HOST_CONVERSATION_OFFERED_TOOLS_H
#define HOST_CONVERSATION_OFFERED_TOOLS_H

#include "error.h"

struct conversation;

/** Log the first event: the system text and the tools. */
int offered_tools_log_system(struct conversation *c, struct error *err);
/** Ensure that the active agent has a `system` event: an imported log, or one that was
 *  rewound to before it, gets one at its end. */
int offered_tools_ensure_system(struct conversation *c, struct error *err);
/** The user may have changed the agent: before the next step, if it has another prompt or
 *  other tools than its last `system` event, log a new one, and tell the model what
 *  changed. */
void offered_tools_check_system(struct conversation *c);
/** The agent may have tools that its last `system` event lacks: before the next step,
 *  offer them, with the same system text, and name them to the model. */
void offered_tools_check_tools(struct conversation *c);

extern const struct feature offered_tools_feature;

#endif
