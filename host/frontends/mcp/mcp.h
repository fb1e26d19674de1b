/* SPDX-License-Identifier: MIT
 *
 * mcp.h - an MCP server that offers the tools of a catalog. */
#ifndef HOST_FRONTENDS_MCP_MCP_H
#define HOST_FRONTENDS_MCP_MCP_H

#include "controller/launch.h"

/** How to serve over HTTP. */
struct mcp_http_options {
	const char *address; /* [HOST:]PORT; HOST is localhost by default */
	const char *token;   /* required of clients; NULL: none, and `open` is set */
	bool open;           /* serve clients without a token */
};

/** Serve the tools of a catalog to an MCP client: over HTTP, or with `web` NULL on
 *  standard input and output. @return the exit code; if it failed, `err` is
 *  filled. */
int mcp_serve(uv_loop_t *loop, struct config *c, struct registry *r, const char *section,
	      const char *dir, struct catalog *catalog,
	      const struct mcp_http_options *web, struct error *err);

#endif
