/* SPDX-License-Identifier: MIT
 *
 * llm-records.h - records in the log about replies and attempts. */
#ifndef HOST_LLM_LLM_RECORDS_H
#define HOST_LLM_LLM_RECORDS_H

#include "events/evlog.h"
#include "llm/llm.h"

/** Change the id of a reply if the log contains another reply with the same id: events
 *  refer to their reply by id. */
int llm_reply_make_unique(struct llm_reply *reply, const struct evlog *log,
			  struct error *err);
/** Log a failed attempt, so that the log shows each wait. `next`: the model to use next;
 *  NULL: the same, after `wait_ms`. */
int llm_attempt_log(struct evlog *log, const struct llm_error *why, int64_t wait_ms,
		    const char *next, struct error *err);

#endif
