/* SPDX-License-Identifier: MIT
 *
 * offered-tools.h - the tools that requests offer, and the first event, which lists
 * them. */
#ifndef HOST_CONTROLLER_OFFERED_TOOLS_H
#define HOST_CONTROLLER_OFFERED_TOOLS_H

#include "error.h"

struct conversation;

/** Post the first event: the system text and the tools. */
int offered_tools_log_system(struct conversation *c, struct error *err);
/** The user has changed the configuration: if the agent has another prompt or other tools
 *  than its last `system` event, log a new one, and tell the model what changed. */
int offered_tools_renew_system(struct conversation *c, struct error *err);
/** What toolsets have listed since is offered from the next request on. */
void offered_tools_update(struct conversation *c);

#endif
