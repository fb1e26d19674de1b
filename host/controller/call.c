/* SPDX-License-Identifier: MIT
 *
 * call.c - creates the tool call of an action. */
#include "controller/call.h"

#include "controller/core.h"
#include "controller/feature-api.h"

#include <string.h>

const char call_is_masked[] =
	"The call was not made: its arguments contained a secret, which is not stored "
	"in the log, and the process that held it has exited. Repeat the call.";

/* Copy the arguments for the tool if the log may mask those of the action. */
static int copy_arguments(const struct conversation *c, struct call *call)
{
	if (js_bool(call->action->json, EVENT_MASKED, false)) {
		fail(&call->why, MT_EDENIED, "%s", call_is_masked);
		return MT_OK;
	}
	if (mask_is_empty(c->mask)) {
		call->args = json_object_get(call->logged_args);
		return MT_OK;
	}
	return json_object_deep_copy(call->logged_args, &call->args, NULL) ? MT_ENOMEM
									   : MT_OK;
}

struct call *call_new(const struct conversation *c, struct event *action)
{
	const struct catalog *catalog = &c->agent->catalog;
	const char *name = js_str(event_tool_meta(action), "function_name", NULL);
	struct call *call = calloc(1, sizeof *call);

	if (!name)
		name = js_str(event_caller(action), "tool", NULL);
	if (!call)
		return NULL;
	call->action = event_ref(action);
	call->id = action->id;
	call->verdict.risk = RISK_UNKNOWN;
	if (action_to_call(catalog, action, name, &call->tool, &call->logged_args,
			   &call->why)) {
		call->tool = NULL;
		return call;
	}
	call->deadline_ms = call_deadline_ms(&catalog->instances[call->tool->instance],
					     call->tool, action_timeout_ms(action));
	return copy_arguments(c, call) ? call_free(call) : call;
}

struct call *call_free(struct call *call)
{
	if (!call)
		return NULL;
	event_unref(call->action);
	json_object_put(call->args);
	json_object_put(call->logged_args);
	runner_result_clear(&call->result);
	free(call);
	return NULL;
}

/* The log masks the secrets of an action, so `logged_args` must not contain them
 * either. */
static int mask_arguments(const struct conversation *c, struct call *call)
{
	AUTO(json) json_object *masked = NULL;

	if (!call->args || !js_bool(call->action->json, EVENT_MASKED, false))
		return MT_OK;
	if (json_object_deep_copy(call->args, &masked, NULL) ||
	    mask_json(c->mask, masked, NULL, NULL))
		return MT_ENOMEM;
	json_object_put(call->logged_args);
	call->logged_args = STEAL(masked);
	return MT_OK;
}

int64_t call_log(struct conversation *c, struct call *call, struct error *err)
{
	int64_t id = conversation_log_event(c, event_ref(call->action), err);

	call->id = id < 0 ? -1 : id;
	if (id >= 0 && mask_arguments(c, call)) {
		json_object_put(call->logged_args);
		call->logged_args = json_object_new_object();
	}
	return id;
}

void call_cancel_early(const struct call *call, struct runner *link)
{
	if (call->early && !call->over && link)
		runner_cancel(link, call->number);
}

void call_keep_result(struct call *call, const struct runner_result *result)
{
	runner_result_copy(&call->result, result);
	call->over = true;
}

const char *call_instance(const struct conversation *c, const struct call *call)
{
	return c->agent->catalog.instances[call->tool->instance].name;
}
