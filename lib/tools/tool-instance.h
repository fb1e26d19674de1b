/* SPDX-License-Identifier: MIT
 *
 * tool-instance.h - a toolset with the options of one of its sections. */
#ifndef LIB_TOOLS_TOOL_INSTANCE_H
#define LIB_TOOLS_TOOL_INSTANCE_H

#include "registry/registry.h"

struct tool_instance {
	char *name;              /* unique; mcp.NAME for a server whose name is taken */
	const char *title;       /* name that the user configured; points into `name` */
	const struct component *component;
	json_object *options;    /* {key: "value"} as set by the user */
	char **secrets;          /* granted names, NULL-terminated */
	int64_t deadline_ms;     /* of a call without a timeout */
	bool deadline_set;       /* by the user; overrides the tool's own */
	bool dynamic;            /* lists (more) tools at run time */
	bool server;             /* configured as [mcp.NAME] */
	bool trusted;            /* part of Mortise, or the user trusts its hints */
	bool alone;              /* in its own worker */
	json_object *listed;     /* the list in use, of this or an earlier run; or NULL */
	json_object *arrived;    /* its newest list, not yet offered; or NULL */
	bool lists;              /* has listed tools since the catalog was opened */
	bool answered;           /* has listed tools, or failed to */
	char *said;              /* its last error message since it listed; or NULL */
};

#endif
