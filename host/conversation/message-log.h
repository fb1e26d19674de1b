/* SPDX-License-Identifier: MIT
 *
 * message-log.h - logs a user message. */
#ifndef HOST_CONVERSATION_MESSAGE_LOG_H
#define HOST_CONVERSATION_MESSAGE_LOG_H

#include "error.h"

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

struct conversation;

/** Log a user message; `number`: of a message that waited, or -1. */
int conversation_log_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, int64_t number, struct error *err);

#endif
