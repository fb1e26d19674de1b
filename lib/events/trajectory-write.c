/* SPDX-License-Identifier: MIT
 *
 * trajectory-write.c - exports a log as an OpenHands file. */
#include "events/event-internal.h"
#include "events/trajectory.h"

#include <string.h>
#include <time.h>

/* ---- JSON with indent 4 ------------------------------------------------------- */

static void trajectory_write_new_line(struct strbuf *out, int depth)
{
	strbuf_addc(out, '\n');
	for (int i = 0; i < depth * 4; i++)
		strbuf_addc(out, ' ');
}

static void pretty(struct strbuf *out, json_object *value, int depth)
{
	bool first = true;

	if (json_object_is_type(value, json_type_object) &&
	    json_object_object_length(value) > 0) {
		strbuf_addc(out, '{');
		json_object_object_foreach(value, name, member) {
			if (!first)
				strbuf_addc(out, ',');
			first = false;
			trajectory_write_new_line(out, depth + 1);
			js_put_str(out, name, strlen(name));
			strbuf_add(out, ": ");
			pretty(out, member, depth + 1);
		}
		trajectory_write_new_line(out, depth);
		strbuf_addc(out, '}');
	} else if (json_object_is_type(value, json_type_array) &&
		   json_object_array_length(value) > 0) {
		strbuf_addc(out, '[');
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			if (i > 0)
				strbuf_addc(out, ',');
			trajectory_write_new_line(out, depth + 1);
			pretty(out, json_object_array_get_idx(value, i), depth + 1);
		}
		trajectory_write_new_line(out, depth);
		strbuf_addc(out, ']');
	} else {
		json_write(out, value, NULL);
	}
}

/* ---- replies --------------------------------------------------------------------- */

static json_object *text_or_null(const char *text)
{
	return *text ? json_object_new_string(text) : NULL;
}

static int trajectory_write_put_calls(json_object *message, json_object *record)
{
	json_object *from = js_get(record, "calls"), *calls;
	size_t count = js_length(from);

	if (count == 0)
		return js_set(message, "tool_calls", NULL);
	calls = json_object_new_array();
	if (!calls || js_set(message, "tool_calls", calls))
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		json_object *call = json_object_array_get_idx(from, i);
		json_object *function = json_object_new_object();
		AUTO(json) json_object *made = json_object_new_object();

		if (!made || !function || js_set_int(made, "index", (int64_t)i)) {
			json_object_put(function);
			return MT_ENOMEM;
		}
		if (js_set(made, "function", function) ||
		    js_set_str(function, "arguments", js_str(call, "arguments", "")) ||
		    js_set_str(function, "name", js_str(call, "name", "")) ||
		    js_set_str(made, "id", js_str(call, "id", "")) ||
		    js_set_str(made, "type", "function") || js_add(calls, made) != 0)
			return MT_ENOMEM;
		made = NULL; /* now owned by the list */
	}
	return MT_OK;
}

static int put_choice(json_object *response, json_object *record)
{
	json_object *message = json_object_new_object(),
		    *choice = json_object_new_object();
	json_object *choices = json_object_new_array();
	const char *reasoning = js_str(record, "reasoning", "");

	if (!message || !choice || !choices || js_add(choices, choice) != 0) {
		json_object_put(message);
		json_object_put(choice);
		json_object_put(choices);
		return MT_ENOMEM;
	}
	if (js_set(response, "choices", choices)) {
		json_object_put(message);
		return MT_ENOMEM;
	}
	if (js_set(choice, "finish_reason",
		   text_or_null(js_str(record, "stop_reason", ""))) ||
	    js_set_int(choice, "index", 0)) {
		json_object_put(message);
		return MT_ENOMEM;
	}
	if (js_set(choice, "message", message) ||
	    js_set(message, "content", json_object_get(js_get(record, "text"))) ||
	    js_set_str(message, "role", "assistant") ||
	    trajectory_write_put_calls(message, record) ||
	    js_set(message, "function_call", NULL) ||
	    (*reasoning && js_set_str(message, "reasoning_content", reasoning)))
		return MT_ENOMEM;
	return MT_OK;
}

static int trajectory_write_put_usage(json_object *response, json_object *record)
{
	json_object *from = js_get(record, "usage"), *usage = json_object_new_object();
	int64_t input = js_int(from, "input", 0), output = js_int(from, "output", 0);

	if (!usage || js_set(response, "usage", usage))
		return MT_ENOMEM;
	if (js_set_int(usage, "completion_tokens", output) ||
	    js_set_int(usage, "prompt_tokens", input) ||
	    js_set_int(usage, "total_tokens", input + output) ||
	    js_set_int(usage, "cache_creation_input_tokens",
		       js_int(from, "cache_write", 0)) ||
	    js_set_int(usage, "cache_read_input_tokens", js_int(from, "cache_read", 0)))
		return MT_ENOMEM;
	return MT_OK;
}

/* The time of an event in seconds since 1970. */
static int64_t seconds_of(json_object *json)
{
	struct tm tm = { 0 };
	const char *text = js_str(json, "timestamp", "");

	return strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) ? (int64_t)timegm(&tm) : 0;
}

static json_object *model_response(json_object *record, json_object *event)
{
	AUTO(json) json_object *response = json_object_new_object();

	if (!response || js_set_str(response, "id", js_str(record, "response_id", "")) ||
	    js_set_int(response, "created", seconds_of(event)) ||
	    js_set_str(response, "model", js_str(record, "model", "")) ||
	    js_set_str(response, "object", "chat.completion") ||
	    js_set(response, "system_fingerprint", NULL) ||
	    put_choice(response, record) || trajectory_write_put_usage(response, record))
		return NULL;
	return STEAL(response);
}

/* ---- events ------------------------------------------------------------------------ */

struct export
{
	struct evlog *log;
	json_object *reply; /* the record used last */
	bool screenshots;
	struct error *err;
};

static int trajectory_write_fold(struct export *x, json_object *json)
{
	json_object *meta = js_get(json, "tool_call_metadata"), *response;
	const char *id = js_str(meta, "llm_response_id", "");

	if (!*id || js_get(meta, "model_response"))
		return MT_OK;
	if (strcmp(js_str(x->reply, "response_id", ""), id) != 0) {
		json_object_put(x->reply);
		x->reply = evlog_reply(x->log, id, NULL);
	}
	if (!x->reply) /* the reply was never recorded: only the event is written */
		return MT_OK;
	response = model_response(x->reply, json);
	return response ? js_set(meta, "model_response", response) : MT_ENOMEM;
}

static bool has_place(const struct event_type *theirs, const char *name)
{
	const struct event_field *field = event_field_find(theirs, name);

	return field && !event_field_is_ours(field);
}

/* Move data that the original format cannot represent into "mortise". */
static int put_aside(const struct event *e, json_object *json)
{
	const char *type = !(e->type->flags & EVENT_EXTENSION) ? NULL
			   : e->is_action                      ? "call_tool_mcp"
							       : "mcp";
	const struct event_type *theirs =
		type ? event_type_find(e->is_action, type) : e->type;
	json_object *fields = js_get(json, e->is_action ? "args" : "extras");
	AUTO(json) json_object *ours = json_object_new_object();
	AUTO(json) json_object *aside = json_object_new_object();

	if (!ours || !aside)
		return MT_ENOMEM;
	if (!json_object_is_type(fields, json_type_object))
		return MT_OK;
	json_object_object_foreach(fields, name, value)
		if (!has_place(theirs, name) &&
		    js_set(aside, name, json_object_get(value)))
			return MT_ENOMEM;
	json_object_object_foreach(aside, moved, ignored) {
		(void)ignored;
		json_object_object_del(fields, moved);
	}
	if (type && (js_set_str(ours, "type", e->type->name) ||
		     js_set_str(json, e->is_action ? "action" : "observation", type)))
		return MT_ENOMEM;
	if (json_object_object_length(aside) > 0 &&
	    js_set(ours, "fields", json_object_get(aside)))
		return MT_ENOMEM;
	if (json_object_object_length(ours) == 0)
		return MT_OK;
	return js_set(json, "mortise", json_object_get(ours));
}

static json_object *form_of(struct export *x, int64_t id)
{
	AUTO(event) struct event *e = evlog_event(x->log, id, x->err);
	AUTO(json) json_object *json = e ? event_trajectory(e, x->screenshots) : NULL;

	if (!e)
		return NULL;
	if (!json || put_aside(e, json) || trajectory_write_fold(x, json)) {
		out_of_memory(x->err);
		return NULL;
	}
	return STEAL(json);
}

json_object *trajectory_event(struct evlog *log, int64_t id, bool screenshots,
			      struct error *err)
{
	struct error why = ERROR_NONE;
	struct export x = { .log = log, .screenshots = screenshots, .err = &why };
	json_object *json = form_of(&x, id);

	json_object_put(x.reply);
	if (!json)
		fail(err, why.code, "%s", why.text);
	return json;
}

/* True if nothing was added to the imported file, which is then exported unchanged. */
static bool is_as_imported(struct evlog *log)
{
	AUTO(json)
	json_object *end =
		evlog_record_after(log, evlog_count(log) - 1, "imported", NULL);

	return end != NULL;
}

static int export_one(struct export *x, int64_t id, json_object *original,
		      struct strbuf *out)
{
	AUTO(json)
	json_object *json =
		original ? json_object_get(js_get(original, "event")) : form_of(x, id);

	if (!json)
		return fail(x->err, MT_EINVAL, "cannot write event %lld", (long long)id);
	pretty(out, json, 1);
	return out->error ? fail(x->err, out->error, "event %lld is too large",
				 (long long)id)
			  : MT_OK;
}

static int export_all(struct export *x, trajectory_sink *sink, void *arg)
{
	bool first = true, as_imported = is_as_imported(x->log);
	int status = sink("[", 1, arg);

	for (int64_t id = 0; id < evlog_count(x->log) && !status; id++) {
		const struct evlog_head *head = evlog_head(x->log, id);
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 30);
		AUTO(json) json_object *original = NULL;

		if (as_imported && !head->undone)
			original = evlog_record_after(x->log, id, "original", x->err);
		if (!original && !event_is_history(head))
			continue;
		strbuf_add(&out, first ? "\n    " : ",\n    ");
		first = false;
		status = export_one(x, id, original, &out);
		if (!status)
			status = sink(out.text, out.len, arg);
	}
	return status ? status : sink(first ? "]\n" : "\n]\n", first ? 2 : 3, arg);
}

int trajectory_export(struct evlog *log, bool screenshots, trajectory_sink *sink,
		      void *arg, struct error *err)
{
	struct error why = ERROR_NONE;
	struct export x = { .log = log, .screenshots = screenshots, .err = &why };
	int status = export_all(&x, sink, arg);

	json_object_put(x.reply);
	if (why.code)
		return fail(err, why.code, "%s", why.text);
	return status ? fail(err, status, "cannot write the trajectory") : MT_OK;
}
