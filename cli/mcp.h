/* SPDX-License-Identifier: MIT
 *
 * mcp.h - shared declarations of the files of `mortise mcp`. */
#ifndef CLI_MCP_H
#define CLI_MCP_H

#include "registry/registry.h"

/** Append the item that enables a server in a list of tools; NULL: all servers. */
int mcp_server_item(const char *name, struct strbuf *ret);
/* Both return the exit code. */
int mcp_login(const struct config *c, const struct registry *r, const char *name,
	      struct error *err);
int mcp_logout(const struct config *c, const struct registry *r, const char *name,
	       struct error *err);

#endif
