/* SPDX-License-Identifier: MIT
 *
 * approval.h - formats a waiting action as text lines and parses answers, for clients
 * without their own screen. */
#ifndef CLI_APPROVAL_H
#define CLI_APPROVAL_H

#include "conversation/conversation.h"

/** The whole action, its risk, and the scopes that "always" may have, with everything
 *  that would not show escaped. `waits`: as the protocol has it; `event`: the action. */
int approval_text(json_object *waits, json_object *event, struct strbuf *out);

/** Read "/confirm", "/always [N] [project]", "/reject [REASON]", "/edit COMMAND" (for
 *  another tool than a shell "/edit JSON"). `ret_arguments`: owned, or NULL.
 *  @return MT_ENOTFOUND: it is none of these; MT_EINVAL with a sentence. */
int approval_read(const char *line, json_object *waits, json_object *event,
		  struct approval *ret, json_object **ret_arguments, struct error *err);

#endif
