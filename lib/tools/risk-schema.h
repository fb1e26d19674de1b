/* SPDX-License-Identifier: MIT
 *
 * risk-schema.h - asks the model for the risk of a call. */
#ifndef LIB_TOOLS_RISK_SCHEMA_H
#define LIB_TOOLS_RISK_SCHEMA_H

#include <json-c/json.h>
#include <stdbool.h>

/** How the levels are described: on the user's machine, in a sandbox, or not at all,
 *  because a short prompt does it. */
enum risk_words { RISK_WORDS_LOCAL, RISK_WORDS_SANDBOX, RISK_WORDS_NONE };

/** The schema of a tool with `security_risk`, among what it requires unless some of its
 *  calls only read (`may_read`). NULL: out of memory. */
json_object *risk_schema(json_object *schema, enum risk_words words, bool may_read);

#endif
