/* SPDX-License-Identifier: MIT
 *
 * risk-schema.h - adds the argument in which the model states the risk of a call. */
#ifndef LIB_TOOLS_RISK_SCHEMA_H
#define LIB_TOOLS_RISK_SCHEMA_H

#include <json-c/json.h>
#include <stdbool.h>

/** The schema of a tool with `security_risk`, which is required unless the tool has
 *  read-only calls (`may_read`). The system prompt describes the levels. NULL: out of
 *  memory. */
json_object *risk_schema(json_object *schema, bool may_read);

#endif
