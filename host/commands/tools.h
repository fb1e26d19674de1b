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

/** The exit code that a result reports; 0 too where it reports none, or a command
 *  that has not ended. */
int64_t result_exit_code(const struct link_result *r);

#endif
