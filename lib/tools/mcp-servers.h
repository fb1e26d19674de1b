/* SPDX-License-Identifier: MIT
 *
 * mcp-servers.h - the MCP servers from the configuration ([mcp.NAME], the files of other
 * programs in [core] mcp_json, Tavily) and from trusted skills. */
#ifndef LIB_TOOLS_MCP_SERVERS_H
#define LIB_TOOLS_MCP_SERVERS_H

#include "config/config.h"

/** The toolset that connects to them, and the item of `tools` that selects all of
 *  them. */
#define MCP_TOOLSET "mcp"
/* Prefix for the name of a server that could be confused with a toolset. */
#define MCP_SERVER_PREFIX MCP_TOOLSET "."

struct mcp_servers {
	char **names;         /* of all enabled servers, in order */
	json_object **options; /* of servers from other files; NULL: [mcp.NAME] */
	size_t count;
};

int mcp_servers_read(const struct config *c, struct mcp_servers *ret, struct error *err);
void mcp_servers_clear(struct mcp_servers *s);
/** Store trusted servers of a skill, with their current definition, in a file of the
 *  user's data directory. `servers` NULL: revoke the trust. */
int mcp_servers_trust(const char *skill, json_object *servers, struct error *err);
/** True if these servers are trusted with their current definition. */
bool mcp_servers_trusted(const char *skill, json_object *servers);

/** The options for the runner: values of environment variables instead of their names,
 *  and the entries of `mcp_json`. Owned. */
int mcp_server_options(const char *name, json_object *options, json_object **ret,
		       struct error *err);
/** Check, without starting it, whether a server can be started or reached with these
 *  options. */
int mcp_server_check(const char *name, json_object *options, struct error *err);
/** True for a server that is reached by a URL, and not started by us; also if that cannot be
 *  told. */
bool mcp_server_is_remote(const char *name, json_object *options);
/** The server's URL, program, or the file that names one. Borrowed. */
const char *mcp_server_target(json_object *options);

#endif
