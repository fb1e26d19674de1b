/* SPDX-License-Identifier: MIT
 *
 * event.c - creates, queries and writes events. */
#include "events/event-internal.h"

#include <string.h>

/* Members in the order in which they are written; other members follow. */
static const char *const member_order[] = {
	"id",          "timestamp", "source",      "message",
	"cause",       "action",    "observation", "tool_call_metadata",
	"llm_metrics", "args",      "content",     "extras",
	"timeout",     "success",
};

static const char *const source_names[] = {
	[SOURCE_NONE] = "",
	[SOURCE_AGENT] = "agent",
	[SOURCE_USER] = "user",
	[SOURCE_ENVIRONMENT] = "environment",
};

const char *event_source_name(enum event_source source)
{
	return (size_t)source < ARRAY_LEN(source_names) ? source_names[source] : "";
}

enum event_source event_source_find(const char *name)
{
	for (size_t i = SOURCE_AGENT; i < ARRAY_LEN(source_names); i++)
		if (strcmp(source_names[i], name) == 0)
			return (enum event_source)i;
	return SOURCE_NONE;
}

struct event *event_ref(struct event *e)
{
	if (e)
		e->refs++;
	return e;
}

struct event *event_unref(struct event *e)
{
	if (!e || --e->refs > 0)
		return NULL;
	json_object_put(e->json);
	free(e);
	return NULL;
}

struct event *event_wrap(const struct event_type *type, json_object *json,
			 struct error *err)
{
	struct event *e = calloc(1, sizeof *e);

	if (!e) {
		json_object_put(json);
		out_of_memory(err);
		return NULL;
	}
	e->refs = 1;
	e->type = type;
	e->is_action = type->is_action;
	e->json = json;
	e->id = js_int(json, "id", -1);
	e->cause = js_int(json, "cause", -1);
	e->source = event_source_find(js_str(json, "source", ""));
	return e;
}

int event_derive(struct event *e)
{
	AUTO(strbuf) struct strbuf message = STRBUF(SIZE_MAX / 2);

	if (event_message(e, &message) ||
	    js_set_strn(e->json, "message", message.text, message.len))
		return MT_ENOMEM;
	if (!(e->type->flags & EVENT_SUCCESS))
		return MT_OK;

	const json_object *metadata = js_get(event_args(e), "metadata");
	bool success = !metadata || js_int(metadata, "exit_code", -1) == 0;

	return js_set_bool(e->json, "success", success);
}

/* A JSON object with the members of every new event and the fields in `given`. */
static json_object *new_json(const struct event_type *type, enum event_source source,
			     json_object *given, int how, struct error *err)
{
	AUTO(json) json_object *fields = event_fields_fill(type, given, how, err),
			       *json = NULL;

	if (!fields)
		return NULL;
	json = json_object_new_object();
	if (!json ||
	    (source != SOURCE_NONE &&
	     js_set_str(json, "source", event_source_name(source))) ||
	    js_set_str(json, type->is_action ? "action" : "observation", type->name) ||
	    js_set(json, type->is_action ? "args" : "extras", STEAL(fields))) {
		out_of_memory(err);
		return NULL;
	}
	return STEAL(json);
}

static struct event *event_no_memory(struct error *err)
{
	out_of_memory(err);
	return NULL;
}

struct event *event_action(const char *name, enum event_source source, json_object *args,
			   struct error *err)
{
	AUTO(json) json_object *given = args, *json = NULL;
	const struct event_type *type = event_type_find(true, name);

	if (!type) {
		fail(err, MT_EINVAL, "malformed action: unknown action `%s`", name);
		return NULL;
	}
	json = new_json(type, source, given, FIELDS_STRICT | FIELDS_TYPED, err);
	if (!json)
		return NULL;

	AUTO(event) struct event *e = event_wrap(type, STEAL(json), err);

	if (e && event_derive(e))
		return event_no_memory(err);
	return STEAL(e);
}

/* Set the content of a new observation; command output is truncated unless hidden. */
static int event_put_content(struct event *e, const char *content, size_t len)
{
	AUTO(strbuf) struct strbuf cut = STRBUF(SIZE_MAX / 2);

	if (e->type->id == OBSERVATION_RUN && !event_hidden(e)) {
		if (event_truncate_content(content, len, EVENT_OUTPUT_MAX, &cut))
			return MT_ENOMEM;
		return js_set_strn(e->json, "content", cut.text, cut.len);
	}
	return js_set_strn(e->json, "content", content ? content : "", len);
}

struct event *event_observation(const char *name, enum event_source source, int64_t cause,
				const char *content, size_t len, json_object *extras,
				struct error *err)
{
	AUTO(json) json_object *given = extras, *json = NULL;
	const struct event_type *type = event_type_find(false, name);

	if (!type) {
		fail(err, MT_ENOTFOUND, "unknown observation `%s`", name);
		return NULL;
	}
	json = new_json(type, source, given, FIELDS_TYPED, err);
	if (!json)
		return NULL;
	if (cause >= 0 && js_set_int(json, "cause", cause))
		return event_no_memory(err);

	AUTO(event) struct event *e = event_wrap(type, STEAL(json), err);

	if (e && (event_put_content(e, content, content ? len : 0) || event_derive(e)))
		return event_no_memory(err);
	return STEAL(e);
}

json_object *event_args(const struct event *e)
{
	return js_get(e->json, e->is_action ? "args" : "extras");
}

const char *event_arg(const struct event *e, const char *name)
{
	return js_str(event_args(e), name, "");
}

const char *event_content(const struct event *e, size_t *ret_len)
{
	json_object *content = js_get(e->json, "content");

	if (!json_object_is_type(content, json_type_string)) {
		if (ret_len)
			*ret_len = 0;
		return "";
	}
	if (ret_len)
		*ret_len = (size_t)json_object_get_string_len(content);
	return json_object_get_string(content);
}

bool event_hidden(const struct event *e)
{
	return js_bool(event_args(e), "hidden", false);
}

json_object *event_tool_meta(const struct event *e)
{
	json_object *meta = js_get(e->json, "tool_call_metadata");

	return json_object_is_type(meta, json_type_object) ? meta : NULL;
}

json_object *event_caller(const struct event *e)
{
	json_object *caller = js_get(e->json, "called_by");

	return json_object_is_type(caller, json_type_object) ? caller : NULL;
}

int event_set_tool_meta(struct event *e, const char *function, const char *call_id,
			const char *response_id, int total_calls)
{
	AUTO(json) json_object *meta = json_object_new_object();

	if (!meta || js_set_str(meta, "function_name", function) ||
	    js_set_str(meta, "tool_call_id", call_id) ||
	    js_set_int(meta, "total_calls_in_response", total_calls) ||
	    js_set_str(meta, "llm_response_id", response_id))
		return MT_ENOMEM;
	return js_set(e->json, "tool_call_metadata", STEAL(meta));
}

void event_timestamp_now(char buf[32])
{
	struct timespec now;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	n = strftime(buf, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, 32 - n, ".%06ldZ", now.tv_nsec / 1000);
}

static bool is_ordered(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(member_order); i++)
		if (strcmp(member_order[i], name) == 0)
			return true;
	return false;
}

int event_write_hooked(const struct event *e, struct strbuf *out,
		       const struct write_hook *hook)
{
	json_object *value;

	if (js_failed(e->json) && !out->error)
		out->error = MT_ENOMEM;
	strbuf_addc(out, '{');
	for (size_t i = 0; i < ARRAY_LEN(member_order); i++) {
		value = js_get(e->json, member_order[i]);
		if (value) {
			js_key(out, member_order[i]);
			json_write(out, value, hook);
		}
	}
	json_object_object_foreach(e->json, name, other) {
		if (other && !is_ordered(name)) {
			js_key(out, name);
			json_write(out, other, hook);
		}
	}
	return strbuf_addc(out, '}');
}

int event_write(const struct event *e, struct strbuf *out)
{
	return event_write_hooked(e, out, NULL);
}

json_object *event_trajectory(const struct event *e, bool screenshots)
{
	static const char *const always[] = {
		"dom_object",
		"axtree_object",
		"active_page_index",
		"last_browser_action",
		"last_browser_action_error",
		"focused_element_bid",
		"extra_element_properties",
	};
	AUTO(strbuf) struct strbuf text = STRBUF(SIZE_MAX / 2);
	AUTO(json) json_object *json = NULL;
	json_object *extras;

	/* Serializing and parsing again sorts the members into the written order. */
	if (event_write(e, &text) || !(json = js_parse_object(text.text, text.len, NULL)))
		return NULL;
	extras = js_get(json, "extras");
	for (size_t i = 0; extras && i < ARRAY_LEN(always); i++)
		json_object_object_del(extras, always[i]);
	if (extras && !screenshots) {
		json_object_object_del(extras, "screenshot");
		json_object_object_del(extras, "set_of_marks");
	}
	return STEAL(json);
}
