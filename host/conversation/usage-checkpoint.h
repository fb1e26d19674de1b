/* SPDX-License-Identifier: MIT
 *
 * usage-checkpoint.h - sums up the usage of the replies in a log once. */
#ifndef HOST_CONVERSATION_USAGE_CHECKPOINT_H
#define HOST_CONVERSATION_USAGE_CHECKPOINT_H

#include "events/evlog.h"
#include "llm/llm.h"

/** The sums over the replies from `first` up to, but not including, `count`. */
struct usage_sums {
	int64_t first, count;
	struct llm_metrics total;
	struct llm_usage_totals *bill; /* of each model */
	double worked;         /* working time in seconds, from the newest reply */
};

int usage_sums_open(struct usage_sums *s, int64_t first);
void usage_sums_close(struct usage_sums *s);
/** Sum up all replies of the log: use the sums of its checkpoint, read later replies,
 *  and store the sums in the next checkpoint. */
void usage_sums_read(struct usage_sums *s, struct evlog *log);

#endif
