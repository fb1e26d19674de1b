/* SPDX-License-Identifier: MIT
 *
 * listed.h - lists of tools that only a running toolset knows, kept from run to
 * run, so that the first request to a model need not wait for it. */
#ifndef HOST_TOOLS_LISTED_H
#define HOST_TOOLS_LISTED_H

#include "tools/catalog.h"

/** What the instance listed the last time it ran as it is configured now: an
 *  array, owned; NULL: nothing is known. */
json_object *listed_read(const struct tool_instance *t);
/** Keep a list. That it cannot be kept is no fault. */
void listed_write(const struct tool_instance *t, json_object *tools);
/** What an instance lists, without its static tools and what is no tool, owned;
 *  NULL: no memory. */
json_object *listed_new(const struct component *component, json_object *tools);

#endif
