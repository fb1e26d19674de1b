/* SPDX-License-Identifier: MIT
 *
 * approval.h - formats a pending action as text lines and parses answers, for line-based
 * clients. */
#ifndef CLI_APPROVAL_H
#define CLI_APPROVAL_H

#include "conversation/conversation.h"

/** Format the whole action, its risk, and the possible scopes of "always", with
 *  invisible characters escaped. `waits`: the member `waits` of the conversation
 *  protocol; `event`: the action. */
int approval_text(json_object *waits, json_object *event, struct strbuf *out);

/** Parse "/confirm", "/always [N] [project]", "/reject [REASON]", "/edit COMMAND" (for
 *  tools other than a shell, "/edit JSON"). `ret_arguments`: owned, or NULL.
 *  @return MT_ENOTFOUND if it is another line; MT_EINVAL with a sentence. */
int approval_read(const char *line, json_object *waits, json_object *event,
		  struct approval *ret, json_object **ret_arguments, struct error *err);

#endif
