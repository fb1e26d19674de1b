/* SPDX-License-Identifier: MIT
 *
 * tool-name-repair.h - finds the tool that a model means by an unknown name. */
#ifndef LIB_TOOLS_TOOL_NAME_REPAIR_H
#define LIB_TOOLS_TOOL_NAME_REPAIR_H

#include "tools/catalog.h"

/** Find the tool of a call. The name of an offered tool is used unchanged. Otherwise this
 *  tries the identifier at its start, the names of shells and editors in other systems,
 *  and a few commands that were written as tools. `args` is changed for the tool found; a
 *  missing `command` of an editor is inferred from the other arguments. @return MT_OK,
 *  with *ret NULL if no tool matches, or MT_ENOMEM. */
int tool_name_resolve(const struct catalog *catalog, const char *name, json_object *args,
		      const struct tool **ret);

#endif
