/* SPDX-License-Identifier: MIT
 *
 * tools.h - what the files of `mortise tools` share. */
#ifndef HOST_COMMANDS_TOOLS_H
#define HOST_COMMANDS_TOOLS_H

#include "controller/launch.h"

/** Serve the tools of a catalog to an MCP client on standard input and output.
 *  @return the exit code. */
int tools_serve(struct config *c, struct registry *r, const char *section,
		const char *folder, struct catalog *catalog, struct error *err);

#endif
