/* SPDX-License-Identifier: MIT
 *
 * waiting-messages.h - user messages that wait until the reply or the call in progress
 * has ended, so that they follow its results. */
#ifndef HOST_CONVERSATION_WAITING_MESSAGES_H
#define HOST_CONVERSATION_WAITING_MESSAGES_H

#include "error.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

struct conversation;
struct evlog;

/** Is a reply or a call of the agent in progress? */
bool waiting_messages_apply(const struct conversation *c);
/** Store a message; it is on disk when this returns. `images` may be NULL, borrowed. */
int waiting_messages_add(struct conversation *c, const char *text, size_t len,
			 json_object *images, struct error *err);
/** Drop the newest one. */
int waiting_messages_withdraw(struct conversation *c, struct error *err);
/** The conversation is resumed: deliver the messages of the earlier process. */
int waiting_messages_restore(struct conversation *c, struct error *err);
/** For a log that begins with a copy of another: the messages that waited there do not
 *  wait here. */
int waiting_messages_drop(struct evlog *log, struct error *err);

/** The user sends a message: calls that were planned or logged, but not sent, are not
 *  made. Their results state why. */
void waiting_messages_refuse_calls(struct conversation *c);

/** Log the messages when no reply or call is in progress; calls that were not sent yet
 *  are refused. */
extern const struct feature waiting_messages_feature;

#endif
