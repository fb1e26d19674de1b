/* SPDX-License-Identifier: MIT
 *
 * http-headers.h - tool parameters that are also sent as headers. */
#ifndef MCP_HTTP_HEADERS_H
#define MCP_HTTP_HEADERS_H

#include "js.h"
#include "strbuf.h"

/** Append a value in a form valid for headers: unchanged, or in base64. */
int header_value(struct strbuf *b, const char *value, size_t len);
/** Are the parameters of a tool that are sent as headers (`x-mcp-header`) declared as the
 *  protocol requires? */
bool header_tool_is_valid(json_object *tool);
/** Append the header lines of the arguments that a schema marks with `x-mcp-header`. */
int header_parameters(json_object *input, json_object *arguments,
		      int (*add)(void *arg, const char *line), void *arg);

#endif
