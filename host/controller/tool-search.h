/* SPDX-License-Identifier: MIT
 *
 * tool-search.h - offers the tools of MCP servers by name until they are requested. */
#ifndef HOST_CONTROLLER_TOOL_SEARCH_H
#define HOST_CONTROLLER_TOOL_SEARCH_H

#include "controller/core.h"
#include "controller/feature.h"

/** Is a tool not offered, as the model knows its name only? */
bool tool_search_defers(const struct conversation *c, const struct tool *t);
/** Put those names into the description of the tool that finds them. @return
 *  false: it is another tool. */
bool tool_search_describe(const struct conversation *c, const struct tool *t,
			  json_object *function);
/** The model asks for some. */
void tool_search_answer(struct conversation *c, uint64_t request, json_object *params);
/** Read in the log which were asked for, once. */
void tool_search_read(struct conversation *c);
/** @return whether the next request offers other tools than the one before; then the
 *  caller offers them. */
bool tool_search_take_change(struct conversation *c);

extern const struct feature tool_search_feature;

#endif
