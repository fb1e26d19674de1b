/* SPDX-License-Identifier: MIT
 *
 * elicit.h - questions of a server to the user, passed on by the call that waits for the
 * server. */
#ifndef MCP_ELICIT_H
#define MCP_ELICIT_H

#include "js.h"
#include <mortise/tool.h>

/** @return the result of `elicitation/create`, owned. */
json_object *elicit_user(const struct mt_tool_host *host, struct mt_call *call,
			 const char *server, json_object *params);

#endif
