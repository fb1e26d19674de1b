/* SPDX-License-Identifier: MIT
 *
 * open.h - the parts of creating and resuming a conversation. */
#ifndef HOST_CONVERSATION_OPEN_H
#define HOST_CONVERSATION_OPEN_H

#include "controller/core.h"
#include "controller/feature-api.h"
#include "conversation/conversation.h"

struct conversation *conversation_allocate(uv_loop_t *loop,
					   const struct conversation_options *o);
/** Wire it and open its log. */
int conversation_open(struct conversation *c, const struct conversation_options *o,
		      enum evlog_open mode, char **ret_report, struct error *err);
/** Free a partially created conversation. @return `r`. With `keep_config` the caller
 *  still owns configuration and registry. */
int conversation_undo(struct conversation *c, bool keep_config, int r);
/** Restore the progress of an earlier process from the log. */
int conversation_restore(struct conversation *c, struct error *err);

#endif
