/* SPDX-License-Identifier: MIT
 *
 * rewind.h - rewinds a conversation: the log is not changed; a record in it marks the
 * reverted events. Files that tools wrote are not changed. */
#ifndef HOST_CONTROLLER_REWIND_H
#define HOST_CONTROLLER_REWIND_H

#include "controller/conversation.h"

/** Nothing after event `to` counts any more; the conversation waits for the
 *  user. A call whose result would be gone goes too. Refused while the agent is
 *  at work. `ret_to` (may be NULL): where it really went. */
int conversation_rewind(struct conversation *c, int64_t to, int64_t *ret_to,
			struct error *err);
/** Go back to before the user's last message, or before the last but some.
 *  `ret_text` (may be NULL): what it said; owned. */
int conversation_take_back(struct conversation *c, int64_t messages, char **ret_text,
			   struct error *err);

/** The newest event at or before `to` at which no call waits for its result. */
int64_t rewind_place(const struct evlog *log, int64_t to);

#endif
