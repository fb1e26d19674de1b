/* SPDX-License-Identifier: MIT
 *
 * risk-schema.h - asks the model for the risk of a call. */
#ifndef HOST_TOOLS_RISK_SCHEMA_H
#define HOST_TOOLS_RISK_SCHEMA_H

#include <json-c/json.h>
#include <stdbool.h>

/** The schema of a tool with `security_risk` among what it requires; `sandboxed`
 *  chooses what the levels mean. NULL: out of memory. */
json_object *risk_schema(json_object *schema, bool sandboxed);

#endif
