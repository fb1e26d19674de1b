/* SPDX-License-Identifier: MIT
 *
 * mapping.h - maps the arguments of a call to an action and back, using the entries of
 * mt_tool.events. */
#ifndef LIB_TOOLS_MAPPING_H
#define LIB_TOOLS_MAPPING_H

#include "events/event.h"
#include "tools/catalog.h"

/** The entry that applies to these arguments; NULL: the plain action. */
json_object *mapping_for(const struct tool *tool, json_object *args);
/** Name of the action for these arguments. */
const char *mapping_action(const struct tool *tool, json_object *args);
/** The value of a form: "$x" is the argument x, "$*" all arguments; any other form is a
 *  literal. Borrowed; NULL: there is no such argument. */
json_object *mapping_value(json_object *form, json_object *args);
/** True if this is a parameter of the tool. */
bool mapping_knows(const struct tool *tool, const char *parameter);
/** The fields of the action for these arguments. @return owned, or NULL with a sentence
 *  for the model. */
json_object *mapping_fields(const struct tool *tool, json_object *args,
			    const struct event_type *type, struct error *err);

#endif
