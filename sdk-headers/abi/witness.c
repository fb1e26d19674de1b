/* SPDX-License-Identifier: MIT
 *
 * witness.c - every type of the frozen part of the ABI, reachable from exported
 * functions, for abidw to describe. */
#include <mortise/function.h>
#include <mortise/tool.h>

MT_EXPORT int witness_statuses(enum mt_status a, enum mt_option_type b, enum mt_kind c,
			       enum mt_log_level d, enum mt_type e, enum mt_input_kind f);
MT_EXPORT int witness_statuses(enum mt_status a, enum mt_option_type b, enum mt_kind c,
			       enum mt_log_level d, enum mt_type e, enum mt_input_kind f)
{
	return (int)a + (int)b + (int)c + (int)d + (int)e + (int)f;
}

MT_EXPORT const void *witness_toolset(const struct mt_toolset *set,
				      const struct mt_tool_host *host);
MT_EXPORT const void *witness_toolset(const struct mt_toolset *set,
				      const struct mt_tool_host *host)
{
	return set ? (const void *)set : host;
}

MT_EXPORT const void *witness_function(const struct mt_function *function);
MT_EXPORT const void *witness_function(const struct mt_function *function)
{
	return function->args;
}

MT_PLUGIN(.name = "witness")
