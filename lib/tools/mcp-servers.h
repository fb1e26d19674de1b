/* SPDX-License-Identifier: MIT
 *
 * mcp-servers.h - the MCP servers that the configuration names: [mcp.NAME], the
 * files of other programs that [core] mcp_json lists, Tavily; and those of skills
 * that are trusted. */
#ifndef LIB_TOOLS_MCP_SERVERS_H
#define LIB_TOOLS_MCP_SERVERS_H

#include "config/config.h"

/** The toolset that speaks to them, and the word in `tools` for all of them. */
#define MCP_TOOLSET "mcp"
/* Before the name of a server, where a toolset could be meant. */
#define MCP_SERVER_PREFIX MCP_TOOLSET "."

struct mcp_servers {
	char **names;         /* of all that are enabled, in order */
	json_object **options; /* of those of other files; NULL: [mcp.NAME] */
	size_t count;
};

int mcp_servers_read(const struct config *c, struct mcp_servers *ret, struct error *err);
void mcp_servers_clear(struct mcp_servers *s);
/** Trusted servers of a skill are stored, with their current definition, in a file of
 *  the user's data directory. `servers` NULL: revokes the trust. */
int mcp_servers_trust(const char *skill, json_object *servers, struct error *err);
/** Are these, as they are, trusted? */
bool mcp_servers_trusted(const char *skill, json_object *servers);

/** The options as the runner gets them: values of environment variables instead of their
 *  names, and the entries of `mcp_json`. Owned. */
int mcp_server_options(const char *name, json_object *options, json_object **ret,
		       struct error *err);
/** Can a server be started or reached with these options? Without starting it. */
int mcp_server_check(const char *name, json_object *options, struct error *err);
/** Its address, program, or the file that names one. Borrowed. */
const char *mcp_server_target(json_object *options);

#endif
