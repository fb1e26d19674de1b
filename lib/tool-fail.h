/* SPDX-License-Identifier: MIT
 *
 * tool-fail.h - failures that every tool reports with the same sentence. */
#ifndef LIB_TOOL_FAIL_H
#define LIB_TOOL_FAIL_H

#include <mortise/tool.h>

/** Fail a call because an allocation failed. @return MT_ENOMEM. */
static inline int tool_out_of_memory(const struct mt_tool_host *host,
				     struct mt_call *call)
{
	return host->fail(call, MT_ENOMEM, "Out of memory.");
}

#endif
