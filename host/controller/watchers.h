/* SPDX-License-Identifier: MIT
 *
 * watchers.h - notifies the watchers, for features with questions to the user. */
#ifndef HOST_CONTROLLER_WATCHERS_H
#define HOST_CONTROLLER_WATCHERS_H

#include "error.h"

#include <stdbool.h>

struct conversation;
struct question;

/** The open questions of tools have changed. */
void conversation_notify_questions(struct conversation *c, const struct question *open);
/** The approvals that this subagent waits for have changed. */
void conversation_notify_asks(struct conversation *c, const char *child);
/** A side question has an answer; `failed`: `text` is the reason why it has none. */
void conversation_notify_side_answer(struct conversation *c, const char *question,
				     const char *text, bool failed);
/** Start notifying the watchers of events. */
int conversation_watch_log(struct conversation *c, struct error *err);

#endif
