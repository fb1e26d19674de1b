/* SPDX-License-Identifier: MIT
 *
 * tools.h - what the files of `mortise tools` share. */
#ifndef HOST_COMMANDS_TOOLS_H
#define HOST_COMMANDS_TOOLS_H

#include "controller/launch.h"

/** How to serve over HTTP. */
struct web_options {
	const char *address;   /* [HOST:]PORT; HOST is this machine alone by default */
	const char *token;     /* that a client must have; NULL: none, `open` is set */
	bool open;             /* whoever reaches it may call */
};
struct web;

/** Serve the tools of a catalog to an MCP client: over HTTP, or with `web` NULL on
 *  standard input and output. @return the exit code. */
int tools_serve(struct config *c, struct registry *r, const char *section,
		const char *folder, struct catalog *catalog, const struct web_options *web,
		struct error *err);

/** The exit code that a result reports; 0 too where it reports none, or a command
 *  that has not ended. */
int64_t result_exit_code(const struct runner_result *r);

#endif
