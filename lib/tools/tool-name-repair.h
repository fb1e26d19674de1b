/* SPDX-License-Identifier: MIT
 *
 * tool-name-repair.h - finds the tool that a model means by an unknown name
 * (spec/tools 11.4). */
#ifndef LIB_TOOLS_TOOL_NAME_REPAIR_H
#define LIB_TOOLS_TOOL_NAME_REPAIR_H

#include "tools/catalog.h"

/** The tool of a call. A name that is wired stands for itself; otherwise the
 *  identifier it begins with, the names under which other systems have a shell
 *  or an editor, and a few commands that were written as tools are tried.
 *  `args` is changed to what the tool found expects; an editor's `command` that
 *  was left out is concluded from the other arguments.
 *  @return MT_OK, with *ret NULL if no tool fits, or MT_ENOMEM. */
int tool_name_resolve(const struct catalog *catalog, const char *name, json_object *args,
		      const struct tool **ret);

#endif
