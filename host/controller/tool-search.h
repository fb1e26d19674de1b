/* SPDX-License-Identifier: MIT
 *
 * tool-search.h - offers the tools of MCP servers by name until they are requested. */
#ifndef HOST_CONTROLLER_TOOL_SEARCH_H
#define HOST_CONTROLLER_TOOL_SEARCH_H

#include "controller/core.h"

/** Is a tool not offered, as the model knows its name only? */
bool tool_search_defers(const struct conversation *c, const struct tool *t);
/** Put those names into the description of the tool that finds them. @return
 *  false: it is another tool. */
bool tool_search_describe(const struct conversation *c, const struct tool *t,
			  json_object *function);
/** The model asks for some. */
void tool_search_answer(struct conversation *c, uint64_t request, json_object *params);
/** Read in the log which were asked for. */
void tool_search_resume(struct conversation *c);

#endif
