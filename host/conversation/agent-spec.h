/* SPDX-License-Identifier: MIT
 *
 * agent-spec.h - what makes the agent what it is, for meta.json. */
#ifndef HOST_CONVERSATION_AGENT_SPEC_H
#define HOST_CONVERSATION_AGENT_SPEC_H

#include "js.h"

struct conversation;

/** Its names and all its settings; owned. */
json_object *agent_spec(const struct conversation *c, const char *controller);

#endif
