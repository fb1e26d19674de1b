/* SPDX-License-Identifier: MIT
 *
 * mcp-server.h - an MCP server that offers the tools of a catalog. */
#ifndef MCP_SERVER_MCP_SERVER_H
#define MCP_SERVER_MCP_SERVER_H

#include "controller/plugins/launch.h"

/** How to serve over HTTP. */
struct mcp_http_options {
	const char *address; /* [HOST:]PORT; HOST is localhost by default */
	const char *token;   /* token that clients must send; NULL: none, and `open` is
			      * set */
	const char *token_env; /* the environment variable of the token, for errors */
	bool open;           /* serve clients without a token */
};

struct mcp_options {
	const struct mcp_http_options *web; /* NULL: standard input and output */
	const char *uri; /* prefix of the URIs of files; NULL: file:// and the workspace */
};

/** Serve the tools of a catalog to an MCP client, and the skills and files of the
 *  workspace if these tools load and read them. @return the exit code; if it failed,
 *  `err` is filled. */
int mcp_serve(uv_loop_t *loop, struct config *c, struct registry *r, const char *section,
	      const char *dir, struct catalog *catalog, const struct mcp_options *o,
	      struct error *err);

#endif
