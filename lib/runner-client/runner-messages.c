/* SPDX-License-Identifier: MIT
 *
 * runner-messages.c - dispatches messages of the runner to the owner of the
 * connection. */
#include "runner-client/runner-connection-internal.h"
#include <string.h>

static void take_sandbox(struct runner_sandbox *to, const json_object *state)
{
	to->used = state != NULL;
	to->enforced = js_bool(state, "enforced", false);
	snprintf(to->reason, sizeof to->reason, "%s", js_str(state, "reason", ""));
}

static int runner_messages_take_hello(struct runner *l, const struct runner_line *r)
{
	const char *protocol = js_str(r->body, "protocol", "");

	if (l->greeted)
		return MT_EINVAL;
	if (r->status) {
		runner_break(l, r->status, "the runner reported an error: %s", r->error);
		return MT_OK;
	}
	if (strcmp(protocol, RUNNER_PROTOCOL) != 0) {
		runner_break(l, MT_EUNSUPPORTED,
			     "unsupported runner protocol %.100s; this host supports %s",
			     protocol, RUNNER_PROTOCOL);
		return MT_OK;
	}
	take_sandbox(&l->sandbox, js_get(r->body, "sandbox"));
	l->greeted = true;
	uv_timer_stop(&l->timer);
	if (l->waiting.len)
		runner_send(l, l->waiting.text, l->waiting.len);
	strbuf_clear(&l->waiting);
	if (l->events->ready)
		l->events->ready(l->arg);
	return MT_OK;
}

static bool granted(const struct runner *l, const char *instance, const char *secret)
{
	size_t len = strlen(instance);

	for (size_t n = 0; n < l->granted_count; n++)
		if (strncmp(l->granted[n], instance, len) == 0 &&
		    l->granted[n][len] == '\n' &&
		    strcmp(l->granted[n] + len + 1, secret) == 0)
			return true;
	return false;
}

static int runner_messages_take_request(struct runner *l, const struct runner_line *r)
{
	struct open_call *c = runner_open_call_find(l, r->call);

	if (!c)
		return MT_OK; /* the call has ended */
	if (strcmp(r->method, "secret/get") == 0 &&
	    !granted(l, c->instance, js_str(r->body, "name", ""))) {
		runner_refuse(l, r->request, MT_EDENIED,
			      "this secret is not granted to the tool");
	} else if (!l->events->request) {
		runner_refuse(l, r->request, MT_EUNSUPPORTED,
			      "this host does not support requests from tools");
	} else {
		l->events->request(l->arg, r->call, r->request, r->method, r->body);
	}
	return MT_OK;
}

static void runner_messages_take_output(struct runner *l, const struct runner_line *r)
{
	json_object *data = js_get(r->body, "data");

	if (!json_object_is_type(data, json_type_string))
		return;
	l->consumed += json_object_get_string_len(data);
	if (l->events->output && runner_open_call_find(l, r->call))
		l->events->output(l->arg, r->call, json_object_get_string(data),
				  (size_t)json_object_get_string_len(data));
}

static int take_chunk(struct runner *l, const struct runner_line *r)
{
	struct open_call *c = runner_open_call_find(l, r->call);
	size_t bytes = 0;
	int status;

	if (!c)
		return MT_EINVAL;
	status = runner_open_call_chunk(l, c, r->body, &bytes);
	l->consumed += (int64_t)bytes;
	return status;
}

static int runner_messages_take_result(struct runner *l, const struct runner_line *r)
{
	struct open_call *c = runner_open_call_find(l, r->call);
	int status;

	if (!c)
		return MT_EINVAL;
	status = runner_open_call_result(l, c, r);
	if (!l->calls && !l->closing && !l->why.code)
		uv_timer_stop(&l->timer);
	return status;
}

static void runner_messages_take_log(struct runner *l, const struct runner_line *r)
{
	static const char *const names[] = { "", "error", "warning", "info", "debug" };
	const char *level = js_str(r->body, "level", "info");
	int n = MT_LOG_INFO;

	for (int i = MT_LOG_ERROR; i <= MT_LOG_DEBUG; i++)
		if (strcmp(names[i], level) == 0)
			n = i;
	if (l->events->log)
		l->events->log(l->arg, n, js_str(r->body, "logger", ""),
			       js_str(r->body, "data", ""));
}

static int take_tools(struct runner *l, const struct runner_line *r)
{
	json_object *tools = js_get(r->body, "tools");
	bool again = js_bool(l->listing, r->instance, false);

	if (l->listing)
		json_object_object_del(l->listing, r->instance);
	if (again && !l->closing)
		runner_list(l, r->instance, NULL);
	else if (l->changing)
		json_object_object_del(l->changing, r->instance);
	if (r->status)
		tools = NULL;
	else if (!json_object_is_type(tools, json_type_array))
		return MT_EINVAL;
	if (l->events->tools)
		l->events->tools(l->arg, r->instance, tools, r->error);
	return MT_OK;
}

static int runner_messages_take(struct runner *l, const struct runner_line *r)
{
	switch (r->kind) {
	case RUNNER_HELLO:
		return runner_messages_take_hello(l, r);
	case RUNNER_RESULT:
		return runner_messages_take_result(l, r);
	case RUNNER_ASKS:
		return runner_messages_take_request(l, r);
	case RUNNER_CHUNK:
		return take_chunk(l, r);
	case RUNNER_TOOLS:
		return take_tools(l, r);
	case RUNNER_OUTPUT:
		runner_messages_take_output(l, r);
		return MT_OK;
	case RUNNER_PROGRESS:
		if (l->events->progress && runner_open_call_find(l, r->call))
			l->events->progress(l->arg, r->call,
					    js_number(r->body, "progress", 0),
					    js_number(r->body, "total", 0),
					    js_str(r->body, "message", NULL));
		return MT_OK;
	case RUNNER_CHANGED:
		if (!l->changing)
			l->changing = json_object_new_object();
		if (js_set_bool(l->changing, r->instance, true))
			return MT_ENOMEM;
		return runner_list(l, r->instance, NULL);
	case RUNNER_LOG:
		runner_messages_take_log(l, r);
		return MT_OK;
	default:
		return MT_OK;
	}
}

int runner_line(char *line, size_t len, void *arg)
{
	struct runner *l = arg;
	struct runner_line r;
	struct error why = ERROR_NONE;
	int status;

	if (l->finishing || l->why.code)
		return MT_OK; /* the runner was abandoned */
	if (runner_line_read(line, len, &r, &why)) {
		if (why.code == MT_ENOMEM)
			return MT_ENOMEM;
		/* Output of ssh, a container or a shell profile before the runner starts
		 * is not an error. */
		if (l->greeted || ++l->noise > NOISE_MAX)
			return MT_EIO;
		if (l->events->log)
			l->events->log(l->arg, MT_LOG_INFO, "runtime", line);
		if (!l->in_closed) /* it works: pulls an image, copies itself */
			uv_timer_again(&l->timer);
		return MT_OK;
	}
	status = runner_messages_take(l, &r);
	runner_line_clear(&r);
	return status;
}
