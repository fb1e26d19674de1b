/* SPDX-License-Identifier: MIT
 *
 * list-tools.h - lets toolsets list their tools at run time, for a command. */
#ifndef CLI_LIST_TOOLS_H
#define CLI_LIST_TOOLS_H

#include "config/config.h"
#include "registry/registry.h"
#include "tools/catalog.h"

struct list_tools {
	struct config *config;
	struct registry *registry;
	const char *section, *workspace; /* workspace NULL: the current directory */
	struct catalog *catalog;         /* receives the tools */
};

/** Start the toolsets of the catalog whose tools are unknown and wait a few seconds for
 *  their lists. If there are none, nothing is started. A toolset that cannot list its
 *  tools offers none. */
int list_tools(const struct list_tools *o, struct error *err);

#endif
