/* SPDX-License-Identifier: MIT
 *
 * call.c - finds the tool call of an action. */
#include "controller/call.h"

int call_resolve(const struct catalog *catalog, const struct event *action,
		 struct call *ret, struct error *err)
{
	const char *name = js_str(event_tool_meta(action), "function_name", NULL);

	*ret = (struct call){ 0 };
	return action_to_call(catalog, action, name, &ret->tool, &ret->args, err);
}

void call_clear(struct call *call)
{
	json_object_put(call->args);
	*call = (struct call){ 0 };
}
