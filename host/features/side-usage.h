/* SPDX-License-Identifier: MIT
 *
 * side-usage.h - the usage of condensers, tools, the judge and side questions. */
#ifndef HOST_FEATURES_SIDE_USAGE_H
#define HOST_FEATURES_SIDE_USAGE_H

#include "events/evlog.h"
#include "llm/llm.h"

struct conversation;

/** The usage of condensers, tools, the judge or side questions, logged as the state of
 *  this name: {calls, input, output, ..., cost, model}; owned. */
#define USAGE_CONDENSERS "condensers"
#define USAGE_TOOLS "tools"
#define USAGE_JUDGE "judge"
#define USAGE_SIDE_QUESTIONS "side questions"
json_object *side_usage_of(const struct evlog *log, const char *who);
/** How many of their requests were answered. */
int64_t side_usage_calls(const struct conversation *c, const char *who);
/** Notify the features of the usage, and log it. */
int side_usage_log(struct conversation *c, const char *who, const struct llm_reply *reply,
		   struct error *err);

/** The conversation is resumed: add the usage to the conversation's and to `sum`. */
void side_usage_restore(struct conversation *c, const char *who, struct llm_metrics *sum);

#endif
