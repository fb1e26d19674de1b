/* SPDX-License-Identifier: MIT
 *
 * tool-http.c - HTTP requests of tools (http/send) while their action is pending. */
#include "features/tool-http.h"

#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "llm/transport/http-requests.h"

#include <string.h>

static struct http_requests *tool_http_state(const struct conversation *c)
{
	return feature_state(c, &tool_http_feature);
}

static void tool_http_cancel(struct conversation *c)
{
	http_requests_cancel(tool_http_state(c));
}

static bool request_http(struct conversation *c, uint64_t call, uint64_t request,
			 const char *method, json_object *params)
{
	struct http_caller caller = { .loop = conversation_loop(c),
				      .config = conversation_config(c),
				      .runner = conversation_runner(c) };

	if (strcmp(method, HTTP_REQUESTS_METHOD) != 0)
		return false;
	if (turn_is_idle(c) || turn_pending(c) != turn_action_of(c, call) ||
	    !turn_call(c)->tool) {
		runner_refuse(caller.runner, request, MT_ECANCELLED,
			      "the call has ended");
		return true;
	}
	caller.instance =
		&conversation_agent(c)->catalog.instances[turn_call(c)->tool->instance];
	http_requests_send(tool_http_state(c), &caller, request, params);
	return true;
}

/* A call can send requests only while its action is pending. */
static void tool_http_end_with_call(struct conversation *c,
				    const struct runner_result *result)
{
	if (!turn_is_idle(c) && turn_pending(c) == turn_action_of(c, result->call))
		tool_http_cancel(c);
}

static void tool_http_release(struct conversation *c)
{
	http_requests_clear(tool_http_state(c));
}

const struct feature tool_http_feature = {
	.name = "http",
	.state_size = sizeof(struct http_requests),
	.request = request_http,
	.call_ended = tool_http_end_with_call,
	.runner_closed = tool_http_cancel,
	.cancel = tool_http_cancel,
	.release = tool_http_release,
};
