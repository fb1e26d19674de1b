/* SPDX-License-Identifier: MIT
 *
 * resources.h - the files of the workspace as resources of an MCP server. */
#ifndef MCP_SERVER_RESOURCES_H
#define MCP_SERVER_RESOURCES_H

#include "internal.h"

/** Paths of the files of the workspace, relative, in byte order. */
struct mcp_paths {
	char **list;
	size_t count, room;
	size_t entries; /* directory entries examined so far */
};

/** List the files, except hidden ones and links, up to a limit. */
int mcp_paths_list(const struct mcp_server *s, struct mcp_paths *ret);
void mcp_paths_clear(struct mcp_paths *p);
static inline void auto_mcp_paths(struct mcp_paths *p)
{
	mcp_paths_clear(p);
}

/** The real path of a resource, owned; NULL: there is none in the workspace. */
char *mcp_resource_path(const struct mcp_server *s, const char *uri);
/** The URI template of the files, whose variable is `path`. */
void mcp_resource_template(const struct mcp_server *s, struct strbuf *out);
/** Report to the client that the resource does not exist. */
void mcp_resource_unknown(const struct mcp_request *q, const char *uri);

#endif
