/* SPDX-License-Identifier: MIT
 *
 * argument-repair.h - repairs common mistakes of models in the arguments of tool calls
 * before the arguments are checked. */
#ifndef LIB_ARGUMENT_REPAIR_H
#define LIB_ARGUMENT_REPAIR_H

#include "js.h"

/** Append a JSON text with raw control characters in strings escaped. White space outside
 *  of strings stays. */
int repair_control_chars(const char *text, size_t len, struct strbuf *out);

/** Read the arguments of a call; raw control characters inside strings are
 *  escaped on a second attempt. Anything but an object is an empty one.
 *  @return owned; NULL with `err` filled if it is not JSON. */
json_object *repair_parse(const char *text, size_t len, struct error *err);

/** Repair `args` in place using the tool's schema (may be NULL): removes unwanted nulls
 *  and names that are left-over markup, renames a misspelled security_risk, decodes lists
 *  and objects given as JSON text, parses numbers and booleans given as text, joins a
 *  text given as a list of pieces.
 *  @return MT_OK or MT_ENOMEM. */
int repair_arguments(json_object *schema, json_object *args);

#endif
