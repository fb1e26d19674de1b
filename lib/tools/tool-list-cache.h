/* SPDX-License-Identifier: MIT
 *
 * tool-list-cache.h - tool lists that a toolset provides only at run time, cached between
 * runs, so that the first request to a model does not wait for them. */
#ifndef LIB_TOOLS_TOOL_LIST_CACHE_H
#define LIB_TOOLS_TOOL_LIST_CACHE_H

#include "tools/tool-instance.h"

/** The tools that the instance listed the last time it ran with its current
 *  configuration: an array, owned; NULL: unknown. */
json_object *tool_list_cache_read(const struct tool_instance *t);
/** Store a list. A failure is not an error. */
void tool_list_cache_write(const struct tool_instance *t, json_object *tools);
/** The tools that an instance lists, without its static tools and invalid entries,
 *  owned; NULL: out of memory. */
json_object *tool_list_filter(const struct component *component, json_object *tools);

#endif
