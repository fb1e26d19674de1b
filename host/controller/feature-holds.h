/* SPDX-License-Identifier: MIT
 *
 * feature-holds.h - for features that hold a message or the closing of a conversation. */
#ifndef HOST_CONTROLLER_FEATURE_HOLDS_H
#define HOST_CONTROLLER_FEATURE_HOLDS_H

#include "error.h"
#include "js.h"

#include <stddef.h>

struct conversation;

/** Add a message that a feature held (before_message). */
int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, bool queue, struct error *err);
/** Close a conversation that a feature held open (before_close, keeps_open). */
void conversation_close_begin(struct conversation *c);
void conversation_close_finish(struct conversation *c);

#endif
