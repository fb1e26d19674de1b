/* SPDX-License-Identifier: MIT
 *
 * usage-json.h - the usage of models as JSON, as stored in the log and in checkpoints. */
#ifndef HOST_LLM_USAGE_JSON_H
#define HOST_LLM_USAGE_JSON_H

#include "llm/llm.h"

#include <json-c/json.h>

/** Owned; NULL: out of memory. */
json_object *llm_metrics_json(const struct llm_metrics *m);
struct llm_metrics llm_metrics_from_json(json_object *o);
/** {model: metrics}; owned. NULL: out of memory. */
json_object *llm_usage_totals_json(const struct llm_usage_totals *b);
/** Add the usage in such an object. */
void llm_usage_totals_join_json(struct llm_usage_totals *b, json_object *spent);

#endif
