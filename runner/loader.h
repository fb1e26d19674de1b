/* SPDX-License-Identifier: MIT
 *
 * loader.h - opens a plugin file in its worker, and checks its contents before use. */
#ifndef RUNNER_LOADER_H
#define RUNNER_LOADER_H

#include "error.h"
#include <mortise/tool.h>

/** A function of a tool that handles a call. */
typedef int tool_function(const struct mt_tool_host *host, void *self,
			  struct mt_call *call);

/** Load a file. It is never unloaded, even if it is refused. */
int loader_open(const char *path, const struct mt_plugin **ret, struct error *err);
/** The toolset of a component of the plugin. */
int loader_toolset(const struct mt_plugin *plugin, const char *path,
		   const char *component, const struct mt_component **ret,
		   const struct mt_toolset **ret_set, struct error *err);
/** Tool `n` of a static list. */
const struct mt_tool *loader_toolset_tool(const struct mt_toolset *set, size_t n);
/** The `preview` of the tool; NULL: it has none. */
tool_function *loader_tool_preview(const struct mt_tool *tool);

#endif
