/* SPDX-License-Identifier: MIT
 *
 * unknown-tool.h - explains why a tool that the user named is not available. */
#ifndef CLI_UNKNOWN_TOOL_H
#define CLI_UNKNOWN_TOOL_H

#include "registry/registry.h"
#include "tools/catalog.h"

/** Fail for a name that is not in the catalog: its toolset is not enabled, or the name is
 *  unknown; then name the nearest tool or all tools. @return MT_ENOTFOUND */
int unknown_tool(const struct registry *r, const struct catalog *catalog,
		 const char *name, struct error *err);

#endif
