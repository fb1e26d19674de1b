/* SPDX-License-Identifier: MIT
 *
 * runner-protocol.c - encodes and decodes messages of mortise-runner/1. */
#include "runner-client/runner-protocol.h"
#include "base64.h"
#include "config.h"
#include "utf8.h"
#include <inttypes.h>
#include <string.h>

#define LIST_ID "tools/" /* the host's own IDs are strings, those of calls numbers */

static const struct {
	const char *method;
	enum runner_line_kind kind;
	const char *about; /* the parameter that contains the call's number */
} notes[] = {
	{ "notifications/output", RUNNER_OUTPUT, "requestId" },
	{ "notifications/chunk", RUNNER_CHUNK, "requestId" },
	{ "notifications/progress", RUNNER_PROGRESS, "progressToken" },
	{ "notifications/tools/list_changed", RUNNER_CHANGED, NULL },
	{ "notifications/message", RUNNER_LOG, NULL },
};

static int runner_protocol_number(json_object *o, const char *name, uint64_t *ret,
				  struct error *err)
{
	json_object *value = js_get(o, name);

	if (!json_object_is_type(value, json_type_int) ||
	    json_object_get_int64(value) < 0)
		return fail(err, MT_EINVAL, "`%s` is not a number", name);
	*ret = json_object_get_uint64(value);
	return MT_OK;
}

static int runner_protocol_read_method(struct runner_line *l, struct error *err)
{
	json_object *params = js_get(l->doc, "params");

	l->body = json_object_is_type(params, json_type_object) ? params : NULL;
	l->kind = RUNNER_OTHER;
	if (js_get(l->doc, "id")) {
		int status = runner_protocol_number(l->doc, "id", &l->request, err);

		if (!status)
			status = runner_protocol_number(l->doc, "call", &l->call, err);
		l->kind = RUNNER_ASKS;
		return status;
	}
	for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
		if (strcmp(notes[i].method, l->method) != 0)
			continue;
		l->kind = notes[i].kind;
		l->instance = js_str(l->body, "instance", "");
		return notes[i].about ? runner_protocol_number(l->body, notes[i].about,
							       &l->call, err)
				      : MT_OK;
	}
	return MT_OK;
}

static int runner_protocol_read_answer(struct runner_line *l, struct error *err)
{
	json_object *id = js_get(l->doc, "id"), *error = js_get(l->doc, "error");
	const char *text = json_object_is_type(id, json_type_string)
				   ? json_object_get_string(id)
				   : NULL;
	json_object *body = js_get(l->doc, "result");

	if (error) {
		int64_t code = js_int(error, "code", MT_EIO);

		l->status = code < 0 && code >= MT_EEXIST ? (int)code : MT_EIO;
		l->error = js_str(error, "message", "rejected without a reason");
	} else if (json_object_is_type(body, json_type_object)) {
		l->body = body;
	} else {
		return fail(err, MT_EINVAL, "neither method nor result nor error");
	}
	if (text && strcmp(text, "hello") == 0) {
		l->kind = RUNNER_HELLO;
	} else if (text && strncmp(text, LIST_ID, strlen(LIST_ID)) == 0) {
		l->kind = RUNNER_TOOLS;
		l->instance = text + strlen(LIST_ID);
	} else if (!id && error) {
		return fail(err, MT_EINVAL,
			    "the runner reported a malformed message: "
			    "%.200s",
			    l->error);
	} else {
		l->kind = RUNNER_RESULT;
		return runner_protocol_number(l->doc, "id", &l->call, err);
	}
	return MT_OK;
}

int runner_line_read(const char *line, size_t len, struct runner_line *ret,
		     struct error *err)
{
	int status;

	*ret = (struct runner_line){ .doc = js_parse_object(line, len, err) };
	if (!ret->doc)
		return err && err->code ? err->code : MT_EINVAL;
	ret->method = js_str(ret->doc, "method", NULL);
	status = ret->method ? runner_protocol_read_method(ret, err)
			     : runner_protocol_read_answer(ret, err);
	if (status)
		runner_line_clear(ret);
	return status;
}

void runner_line_clear(struct runner_line *l)
{
	json_object_put(l->doc);
	*l = (struct runner_line){ 0 };
}

static void put_instance(struct strbuf *b, const struct runner_instance *i)
{
	js_key_str(b, "name", i->name);
	js_key_str(b, "component", i->component ? i->component : i->name);
	js_key_str(b, "plugin", i->plugin);
	if (i->alone)
		js_key_bool(b, "alone", true);
	if (i->outside)
		js_key_bool(b, "outside", true);
	if (i->namespaces)
		js_key_bool(b, "namespaces", true);
	if (i->options) {
		js_key(b, "options");
		js_put(b, i->options);
	}
	if (i->secrets) {
		js_key(b, "secrets");
		strbuf_addc(b, '[');
		for (size_t n = 0; i->secrets[n]; n++) {
			if (n)
				strbuf_addc(b, ',');
			js_put_str(b, i->secrets[n], strlen(i->secrets[n]));
		}
		strbuf_addc(b, ']');
	}
}

static void put_limits(struct strbuf *b, const struct runner_spec *spec)
{
	const struct runner_limits *l = &spec->limits;
	const struct {
		const char *name;
		int64_t value;
	} limits[] = {
		{ "memory", l->memory },
		{ "processes", l->processes },
		{ "open_files", l->open_files },
		{ "cpu_ms", l->cpu_ms },
		{ "wall_ms", l->wall_ms },
		{ "output_max", l->output_max },
		{ "disk_written", l->disk_written },
		{ "overlay", l->overlay },
	};

	js_key(b, "limits");
	strbuf_addc(b, '{');
	js_key_int(b, "window", RUNNER_WINDOW);
	if (spec->result_max)
		js_key_int(b, "result_max", spec->result_max);
	if (spec->spool_max)
		js_key_int(b, "spool_max", spec->spool_max);
	if (spec->grace_ms)
		js_key_int(b, "grace_ms", spec->grace_ms);
	if (spec->timeout_ms)
		js_key_int(b, "timeout_ms", spec->timeout_ms);
	if (spec->memory_max)
		js_key_int(b, "memory_max", spec->memory_max);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (limits[i].value)
			js_key_int(b, limits[i].name, limits[i].value);
	if (l->no_cgroups)
		js_key_int(b, "cgroups", 0);
	strbuf_addc(b, '}');
}

int runner_put_hello(struct strbuf *b, const struct runner_spec *spec)
{
	strbuf_add(b, "{\"id\":\"hello\",\"method\":\"hello\",\"params\":{");
	js_key_str(b, "protocol", RUNNER_PROTOCOL);
	js_key_str(b, "version", PACKAGE_VERSION);
	js_key_str(b, "workspace", spec->workspace ? spec->workspace : "/");
	js_key_str(b, "spool_dir", spec->spool_dir ? spec->spool_dir : "");
	js_key_str(b, "state_dir", spec->state_dir ? spec->state_dir : "");
	js_key_str(b, "user_dir", spec->user_dir ? spec->user_dir : "");
	js_key_str(b, "conversation", spec->conversation ? spec->conversation : "");
	if (spec->group)
		js_key_str(b, "group", spec->group);
	put_limits(b, spec);
	if (spec->environment) {
		js_key(b, "environment");
		js_put(b, spec->environment);
	}
	if (spec->sandbox) {
		js_key(b, "sandbox");
		js_put(b, spec->sandbox);
	}
	js_key(b, "instances");
	strbuf_addc(b, '[');
	for (size_t n = 0; n < spec->instance_count; n++) {
		strbuf_add(b, n ? ",{" : "{");
		put_instance(b, &spec->instances[n]);
		strbuf_addc(b, '}');
	}
	return strbuf_add(b, "]}}\n");
}

int runner_put_call(struct strbuf *b, const char *method, uint64_t call,
		    const char *instance, const char *tool, const char *args, size_t len,
		    int64_t timeout_ms)
{
	strbuf_addf(b, "{\"id\":%" PRIu64 ",\"method\":\"%s\",\"params\":{", call,
		    method);
	js_key_str(b, "instance", instance);
	js_key_str(b, "name", tool);
	if (timeout_ms)
		js_key_int(b, "timeout_ms", timeout_ms);
	js_key(b, "arguments");
	strbuf_addn(b, args, len);
	return strbuf_add(b, "}}\n");
}

int runner_put_input(struct strbuf *b, uint64_t call, const char *bytes, size_t len)
{
	strbuf_addf(b,
		    "{\"method\":\"notifications/input\",\"params\":"
		    "{\"requestId\":%" PRIu64,
		    call);
	if (utf8_valid(bytes, len)) {
		js_key_strn(b, "data", bytes, len);
	} else {
		js_key(b, "blob");
		strbuf_addc(b, '"');
		base64_put(b, bytes, len);
		strbuf_addc(b, '"');
	}
	return strbuf_add(b, "}}\n");
}
