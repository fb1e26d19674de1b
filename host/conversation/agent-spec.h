/* SPDX-License-Identifier: MIT
 *
 * agent-spec.h - the names and settings that an agent is created from, for meta.json. */
#ifndef HOST_CONVERSATION_AGENT_SPEC_H
#define HOST_CONVERSATION_AGENT_SPEC_H

#include "js.h"

struct conversation;

/** Its names and all its settings; owned. */
json_object *agent_spec(const struct conversation *c, const char *controller);

#endif
