/* SPDX-License-Identifier: MIT
 *
 * messages.h - user messages. */
#ifndef HOST_CONVERSATION_MESSAGES_H
#define HOST_CONVERSATION_MESSAGES_H

#include "conversation/conversation.h"

/** Add a message that a feature held (before_message). */
int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, bool queue, struct error *err);

#endif
