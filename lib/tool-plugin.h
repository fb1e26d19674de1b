/* SPDX-License-Identifier: MIT
 *
 * tool-plugin.h - what every tool does alike: values of options, and one error. */
#ifndef LIB_TOOL_PLUGIN_H
#define LIB_TOOL_PLUGIN_H

#include "options.h"

#include <mortise/tool.h>

/** Fail a call because an allocation failed. @return MT_ENOMEM. */
static inline int tool_out_of_memory(const struct mt_tool_host *host,
				     struct mt_call *call)
{
	return host->fail(call, MT_ENOMEM, "Out of memory.");
}

/** Index of the value of an option among its choices. */
static inline int tool_choice(const struct mt_tool_host *host,
			      struct mt_instance *instance, const struct mt_option *table,
			      size_t count, const char *key)
{
	return option_choice_of(table, count, key, host->option(instance, key));
}

#endif
