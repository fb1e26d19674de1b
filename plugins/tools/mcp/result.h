/* SPDX-License-Identifier: MIT
 *
 * result.h - converts the response of a server to the result of a call. */
#ifndef MCP_RESULT_H
#define MCP_RESULT_H

#include "tools.h"
#include <mortise/tool.h>

/** Put the result of a tool into a call. @return the status for `call` to return. */
int result_put_tool(const struct mt_tool_host *host, struct mt_call *call,
		    const struct offer *f, json_object *result);
int result_put_resource(const struct mt_tool_host *host, struct mt_call *call,
			json_object *result);
int result_put_prompt(const struct mt_tool_host *host, struct mt_call *call,
		      json_object *result);
/** Put lists of resources and prompts into a call, one line each. */
void result_put_resources(const struct mt_tool_host *host, struct mt_call *call,
			  json_object *list, const char *uri);
void result_put_prompts(const struct mt_tool_host *host, struct mt_call *call,
			json_object *list);

#endif
