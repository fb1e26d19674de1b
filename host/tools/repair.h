/* SPDX-License-Identifier: MIT
 *
 * repair.h - the slips of models in tool calls, mended before the check. */
#ifndef HOST_TOOLS_REPAIR_H
#define HOST_TOOLS_REPAIR_H

#include "js.h"

/** Read the arguments of a call; raw control characters inside strings are
 *  escaped on a second attempt. Anything but an object is an empty one.
 *  @return owned; NULL with `err` filled if it is no JSON. */
json_object *repair_parse(const char *text, size_t len, struct error *err);
/** Mend `args` in place by the tool's schema: nulls removed, misspelt
 *  security_risk renamed, lists and objects given as JSON text decoded, a text
 *  given as a list of texts joined. */
int repair_arguments(json_object *schema, json_object *args);

#endif
