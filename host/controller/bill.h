/* SPDX-License-Identifier: MIT
 *
 * bill.h - what a conversation has cost, told from its log. */
#ifndef HOST_CONTROLLER_BILL_H
#define HOST_CONTROLLER_BILL_H

#include "events/log.h"
#include "llm/llm.h"

/** Where the log keeps what condensers spent. */
#define CONDENSE_STATE "condensers"

/** Add the replies from the n-th on, and what condensers spent.
 *  @return the seconds that the conversation had worked by its last reply. */
double bill_of_log(struct evlog *log, int64_t from, struct llm_bill *bill);

#endif
