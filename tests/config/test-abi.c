/* SPDX-License-Identifier: MIT
 *
 * test-abi.c - the frozen layout of the headers for tool plugins: a build that
 * would break existing plugins does not compile. Lines are added
 * here, at the end of a struct or list, and never changed. */
#include "tap.h"
#include <mortise/function.h>
#include <mortise/tool.h>

#define SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), "the size of struct " #type)
#define MEMBER(type, member, offset, size)                                     \
	_Static_assert(offsetof(struct type, member) == (offset) &&            \
		       sizeof(((struct type *)0)->member) == (size),           \
		       #type "." #member " has moved")
#define VALUE(name, value) _Static_assert((name) == (value), #name " has changed")

#if __SIZEOF_POINTER__ == 8

/* The minimum sizes of version 1.0, whatever the structs have become. */
#define LEAST(name, size) \
	_Static_assert((name) == (size), #name " has changed: it refuses old plugins")
LEAST(MT_OPTION_SIZE_1_0, 64);
LEAST(MT_COMPONENT_SIZE_1_0, 48);
LEAST(MT_PERMISSION_SIZE_1_0, 24);
LEAST(MT_PLUGIN_SIZE_1_0, 104);
LEAST(MT_TOOL_HOST_SIZE_1_0, 304);
LEAST(MT_PARAM_SIZE_1_0, 64);
LEAST(MT_INPUT_SIZE_1_0, 24);
LEAST(MT_TOOL_SIZE_1_0, 120);
LEAST(MT_TOOLSET_SIZE_1_0, 72);
LEAST(MT_ARG_SIZE_1_0, 40);
LEAST(MT_FUNCTION_SIZE_1_0, 32);

SIZE(mt_str, 16);
MEMBER(mt_str, ptr, 0, 8);
MEMBER(mt_str, len, 8, 8);

SIZE(mt_option, 64);
MEMBER(mt_option, size, 0, 4);
MEMBER(mt_option, type, 4, 4);
MEMBER(mt_option, name, 8, 8);
MEMBER(mt_option, fallback, 16, 8);
MEMBER(mt_option, help, 24, 8);
MEMBER(mt_option, choices, 32, 8);
MEMBER(mt_option, min, 40, 8);
MEMBER(mt_option, max, 48, 8);
MEMBER(mt_option, flags, 56, 4);
MEMBER(mt_option, reserved, 60, 4);

SIZE(mt_component, 48);
MEMBER(mt_component, size, 0, 4);
MEMBER(mt_component, kind, 4, 2);
MEMBER(mt_component, reserved, 6, 2);
MEMBER(mt_component, version_major, 8, 2);
MEMBER(mt_component, version_minor, 10, 2);
MEMBER(mt_component, option_count, 12, 4);
MEMBER(mt_component, name, 16, 8);
MEMBER(mt_component, summary, 24, 8);
MEMBER(mt_component, options, 32, 8);
MEMBER(mt_component, functions, 40, 8);

SIZE(mt_permission, 24);
MEMBER(mt_permission, size, 0, 4);
MEMBER(mt_permission, kind, 4, 4);
MEMBER(mt_permission, what, 8, 8);
MEMBER(mt_permission, why, 16, 8);

SIZE(mt_plugin, 104);
MEMBER(mt_plugin, size, 0, 4);
MEMBER(mt_plugin, abi_major, 4, 2);
MEMBER(mt_plugin, abi_minor, 6, 2);
MEMBER(mt_plugin, needs, 8, 8);
MEMBER(mt_plugin, flags, 16, 8);
MEMBER(mt_plugin, name, 24, 8);
MEMBER(mt_plugin, version, 32, 8);
MEMBER(mt_plugin, license, 40, 8);
MEMBER(mt_plugin, components, 48, 8);
MEMBER(mt_plugin, component_count, 56, 4);
MEMBER(mt_plugin, permission_count, 60, 4);
MEMBER(mt_plugin, permissions, 64, 8);
MEMBER(mt_plugin, id, 72, 8);
MEMBER(mt_plugin, vendor, 80, 8);
MEMBER(mt_plugin, url, 88, 8);
MEMBER(mt_plugin, extension, 96, 8);

SIZE(mt_tool_host, 304);
MEMBER(mt_tool_host, size, 0, 4);
MEMBER(mt_tool_host, reserved, 4, 4);
MEMBER(mt_tool_host, call_instance, 8, 8);
MEMBER(mt_tool_host, call_tool, 16, 8);
MEMBER(mt_tool_host, call_id, 24, 8);
MEMBER(mt_tool_host, arg_str, 32, 8);
MEMBER(mt_tool_host, arg_int, 40, 8);
MEMBER(mt_tool_host, arg_number, 48, 8);
MEMBER(mt_tool_host, arg_bool, 56, 8);
MEMBER(mt_tool_host, arg_json, 64, 8);
MEMBER(mt_tool_host, reply, 72, 8);
MEMBER(mt_tool_host, reply_text, 80, 8);
MEMBER(mt_tool_host, reply_media, 88, 8);
MEMBER(mt_tool_host, field, 96, 8);
MEMBER(mt_tool_host, fail, 104, 8);
MEMBER(mt_tool_host, fail_text, 112, 8);
MEMBER(mt_tool_host, output, 120, 8);
MEMBER(mt_tool_host, progress, 128, 8);
MEMBER(mt_tool_host, spool, 136, 8);
MEMBER(mt_tool_host, spool_path, 144, 8);
MEMBER(mt_tool_host, cancelled, 152, 8);
MEMBER(mt_tool_host, cancel_fd, 160, 8);
MEMBER(mt_tool_host, time_left_ms, 168, 8);
MEMBER(mt_tool_host, request, 176, 8);
MEMBER(mt_tool_host, option, 184, 8);
MEMBER(mt_tool_host, option_int, 192, 8);
MEMBER(mt_tool_host, option_at, 200, 8);
MEMBER(mt_tool_host, workspace, 208, 8);
MEMBER(mt_tool_host, private_dir, 216, 8);
MEMBER(mt_tool_host, conversation_dir, 224, 8);
MEMBER(mt_tool_host, user_dir, 232, 8);
MEMBER(mt_tool_host, plugin_path, 240, 8);
MEMBER(mt_tool_host, save, 248, 8);
MEMBER(mt_tool_host, saved, 256, 8);
MEMBER(mt_tool_host, changed, 264, 8);
MEMBER(mt_tool_host, add_tool, 272, 8);
MEMBER(mt_tool_host, log, 280, 8);
MEMBER(mt_tool_host, log_text, 288, 8);
MEMBER(mt_tool_host, extension, 296, 8);

SIZE(mt_param, 64);
MEMBER(mt_param, size, 0, 4);
MEMBER(mt_param, type, 4, 4);
MEMBER(mt_param, name, 8, 8);
MEMBER(mt_param, flags, 16, 8);
MEMBER(mt_param, help, 24, 8);
MEMBER(mt_param, choices, 32, 8);
MEMBER(mt_param, fallback, 40, 8);
MEMBER(mt_param, min, 48, 8);
MEMBER(mt_param, max, 56, 8);

SIZE(mt_tool, 120);
MEMBER(mt_tool, size, 0, 4);
MEMBER(mt_tool, hints, 4, 4);
MEMBER(mt_tool, name, 8, 8);
MEMBER(mt_tool, title, 16, 8);
MEMBER(mt_tool, description, 24, 8);
MEMBER(mt_tool, brief, 32, 8);
MEMBER(mt_tool, schema, 40, 8);
MEMBER(mt_tool, output_schema, 48, 8);
MEMBER(mt_tool, events, 56, 8);
MEMBER(mt_tool, call, 64, 8);
MEMBER(mt_tool, function, 72, 8);
MEMBER(mt_tool, deadline_ms, 80, 8);
MEMBER(mt_tool, result_max, 88, 8);
MEMBER(mt_tool, params, 96, 8);
MEMBER(mt_tool, param_count, 104, 4);
MEMBER(mt_tool, reserved, 108, 4);
MEMBER(mt_tool, preview, 112, 8);

SIZE(mt_input, 24);
MEMBER(mt_input, size, 0, 4);
MEMBER(mt_input, kind, 4, 4);
MEMBER(mt_input, bytes, 8, 16);

SIZE(mt_toolset, 72);
MEMBER(mt_toolset, size, 0, 4);
MEMBER(mt_toolset, flags, 4, 4);
MEMBER(mt_toolset, tool_count, 8, 4);
MEMBER(mt_toolset, reserved, 12, 4);
MEMBER(mt_toolset, tools, 16, 8);
MEMBER(mt_toolset, open, 24, 8);
MEMBER(mt_toolset, list, 32, 8);
MEMBER(mt_toolset, call, 40, 8);
MEMBER(mt_toolset, input, 48, 8);
MEMBER(mt_toolset, cancel, 56, 8);
MEMBER(mt_toolset, close, 64, 8);

SIZE(mt_arg, 40);
MEMBER(mt_arg, size, 0, 4);
MEMBER(mt_arg, type, 4, 2);
MEMBER(mt_arg, flags, 6, 2);
MEMBER(mt_arg, name, 8, 8);
MEMBER(mt_arg, help, 16, 8);
MEMBER(mt_arg, choices, 24, 8);
MEMBER(mt_arg, capacity, 32, 8);

SIZE(mt_function, 32);
MEMBER(mt_function, size, 0, 4);
MEMBER(mt_function, returns, 4, 2);
MEMBER(mt_function, arg_count, 6, 2);
MEMBER(mt_function, args, 8, 8);
MEMBER(mt_function, address, 16, 8);
MEMBER(mt_function, flags, 24, 4);
MEMBER(mt_function, reserved, 28, 4);
#endif

VALUE(MT_OK, 0);
VALUE(MT_EINVAL, -1);
VALUE(MT_ENOMEM, -2);
VALUE(MT_EIO, -3);
VALUE(MT_ETIMEOUT, -4);
VALUE(MT_ECANCELLED, -5);
VALUE(MT_EUNSUPPORTED, -6);
VALUE(MT_ENOTFOUND, -7);
VALUE(MT_EDENIED, -8);
VALUE(MT_ELIMIT, -9);
VALUE(MT_EEXIST, -10);
VALUE(MT_OPTION_TEXT, 1);
VALUE(MT_OPTION_INT, 2);
VALUE(MT_OPTION_BOOL, 3);
VALUE(MT_OPTION_DURATION, 4);
VALUE(MT_OPTION_BYTES, 5);
VALUE(MT_OPTION_NUMBER, 6);
VALUE(MT_OPTION_CHOICE, 7);
VALUE(MT_OPTION_LIST, 8);
VALUE(MT_OPTION_PATH, 9);
VALUE(MT_OPTION_REQUIRED, 1);
VALUE(MT_OPTION_SECRET, 2);
VALUE(MT_OPTION_PREFIX, 4);
VALUE(MT_PERMIT_READ, 1);
VALUE(MT_PERMIT_WRITE, 2);
VALUE(MT_PERMIT_HOST, 3);
VALUE(MT_PERMIT_SECRET, 4);
VALUE(MT_PERMIT_ENVIRONMENT, 5);
VALUE(MT_SAVED_MAX, 65536);
VALUE(MT_KIND_TOOL, 1);
VALUE(MT_KIND_AGENT, 2);
VALUE(MT_KIND_CONDENSER, 3);
VALUE(MT_KIND_DIALECT, 4);
VALUE(MT_KIND_RUNTIME, 5);
VALUE(MT_KIND_ANALYZER, 6);
VALUE(MT_INPUT_BYTES, 1);

VALUE(MT_LOG_ERROR, 1);
VALUE(MT_LOG_WARNING, 2);
VALUE(MT_LOG_INFO, 3);
VALUE(MT_LOG_DEBUG, 4);
VALUE(MT_TOOL_READ_ONLY, 1);
VALUE(MT_TOOL_DESTRUCTIVE, 2);
VALUE(MT_TOOL_IDEMPOTENT, 4);
VALUE(MT_TOOL_OPEN_WORLD, 8);
VALUE(MT_TOOL_PARALLEL, 16);
VALUE(MT_TOOL_CONTROL, 32);
VALUE(MT_TOOL_ON_REQUEST, 64);
VALUE(MT_TOOL_FOLLOW_UP, 128);
VALUE(MT_TOOL_OPTIONAL, 256);
VALUE(MT_TOOLSET_PARALLEL, 1);
VALUE(MT_PARAM_TEXT, 1);
VALUE(MT_PARAM_INTEGER, 2);
VALUE(MT_PARAM_NUMBER, 3);
VALUE(MT_PARAM_BOOL, 4);
VALUE(MT_PARAM_CHOICE, 5);
VALUE(MT_PARAM_LIST, 6);
VALUE(MT_REQUIRED, 1);
VALUE(MT_TYPE_VOID, 0);
VALUE(MT_TYPE_BOOL, 1);
VALUE(MT_TYPE_INT32, 2);
VALUE(MT_TYPE_UINT32, 3);
VALUE(MT_TYPE_INT64, 4);
VALUE(MT_TYPE_UINT64, 5);
VALUE(MT_TYPE_FLOAT, 6);
VALUE(MT_TYPE_DOUBLE, 7);
VALUE(MT_TYPE_STRING, 8);
VALUE(MT_TYPE_BUFFER, 9);
VALUE(MT_TYPE_SIZE, 10);
VALUE(MT_ARG_OUT, 1);
VALUE(MT_ARG_OPTIONAL, 2);
VALUE(MT_TYPE_HANDLE, 11);
VALUE(MT_ARG_FIXED, 4);
VALUE(MT_ARG_ENDS, 8);
VALUE(MT_ARG_COUNTED, 16);
VALUE(MT_FUNCTION_FAILS_NEGATIVE, 1);
VALUE(MT_FUNCTION_FAILS_ZERO, 2);
VALUE(MT_FUNCTION_FAILS_NONZERO, 4);
VALUE(MT_FUNCTION_ERRNO, 8);
VALUE(MT_ABI_MAJOR, 1);
VALUE(MT_TOOL_MAJOR, 1);

int main(void)
{
	CHECK(strcmp(MT_PLUGIN_SYMBOL, "mortise_plugin_v1") == 0);
	return tap_done();
}
