/* SPDX-License-Identifier: MIT
 *
 * tool-plugin.h - helpers that tools share: their state, values of options, one error. */
#ifndef LIB_TOOL_PLUGIN_H
#define LIB_TOOL_PLUGIN_H

#include "options.h"

#include <mortise/tool.h>
#include <stdlib.h>

/** Fail a call because an allocation failed. @return MT_ENOMEM. */
static inline int tool_out_of_memory(const struct mt_tool_host *host,
				     struct mt_call *call)
{
	return host->fail(call, MT_ENOMEM, "Out of memory.");
}

/** The state of a toolset that keeps nothing but its host. */
struct tool_self {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
};

static inline int tool_self_open(const struct mt_tool_host *host,
				 struct mt_instance *instance, void **ret_self)
{
	struct tool_self *self = malloc(sizeof *self);

	if (!self)
		return MT_ENOMEM;
	*self = (struct tool_self){ host, instance };
	*ret_self = self;
	return MT_OK;
}

static inline void tool_self_close(const struct mt_tool_host *host,
				   struct mt_instance *instance, void *self)
{
	(void)host, (void)instance;
	free(self);
}

/** Index of the value of an option among its choices. */
static inline int tool_choice(const struct mt_tool_host *host,
			      struct mt_instance *instance, const struct mt_option *table,
			      size_t count, const char *key)
{
	return option_choice_of(table, count, key, host->option(instance, key));
}

#endif
