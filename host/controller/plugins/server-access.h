/* SPDX-License-Identifier: MIT
 *
 * server-access.h - whether the sandbox keeps a local MCP server from its own files. */
#ifndef HOST_CONTROLLER_PLUGINS_SERVER_ACCESS_H
#define HOST_CONTROLLER_PLUGINS_SERVER_ACCESS_H

#include "config/config.h"
#include "strbuf.h"
#include "tools/tool-instance.h"

/** Append to the reason why a server failed: the path of its program or of an argument
 *  that exists, but that tools cannot read in the sandbox, and the setting that allows it.
 *  Nothing if there is none. */
void server_access_note(const struct config *c, const char *workspace,
			const struct tool_instance *t, struct strbuf *out);

#endif
