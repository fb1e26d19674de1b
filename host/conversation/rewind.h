/* SPDX-License-Identifier: MIT
 *
 * rewind.h - rewinds a conversation: the log is not changed; a record in it marks the
 * reverted events. Files that tools wrote are restored on request. */
#ifndef HOST_CONVERSATION_REWIND_H
#define HOST_CONVERSATION_REWIND_H

#include "controller/conversation.h"

/** Revert the events after `to`; the conversation waits for the user. A call that would
 *  lose its result is reverted too. Refused while the agent is running. `files`: restore
 *  the workspace too. `ret_to` (may be NULL): the actual target. */
int conversation_rewind(struct conversation *c, int64_t to, bool files, int64_t *ret_to,
			struct error *err);
/** Rewind to before the user's last message, or an earlier one. `ret_text` (may be NULL):
 *  its text; owned. */
int conversation_take_back(struct conversation *c, int64_t messages, bool files,
			   char **ret_text, struct error *err);

/** The newest event at or before `to` at which no call waits for its result. */
int64_t rewind_place(const struct evlog *log, int64_t to);

#endif
