/* SPDX-License-Identifier: MIT
 *
 * event-read.c - parses events from JSON: fields and defaults, legacy forms. */
#include "events/event-internal.h"

#include <string.h>

static const char *const type_names[] = {
	[FIELD_ANY] = "anything",     [FIELD_TEXT] = "a string",
	[FIELD_INT] = "an integer",   [FIELD_BOOL] = "true or false",
	[FIELD_NUMBER] = "a number",  [FIELD_LIST] = "a list",
	[FIELD_OBJECT] = "an object",
};

static bool event_read_has(json_object *o, const char *name)
{
	return json_object_object_get_ex(o, name, NULL);
}

/* The default of a field, owned by the caller. NULL is JSON's null, or out of memory if
 * `*ret_status` is set. */
static json_object *fallback(const struct event_field *field, int *ret_status)
{
	const char *text = field->fallback;
	json_object *made;

	switch (text[0]) {
	case 'n':
		return NULL;
	case 't':
	case 'f':
		made = json_object_new_boolean(text[0] == 't');
		break;
	case '"':
		made = json_object_new_string_len(text + 1, (int)strlen(text) - 2);
		break;
	case '{':
		made = json_object_new_object();
		break;
	case '[':
		made = json_object_new_array();
		break;
	default:
		made = json_object_new_int64(strtoll(text, NULL, 10));
	}
	if (!made)
		*ret_status = MT_ENOMEM;
	return made;
}

static bool event_read_fits(const struct event_field *field, json_object *value)
{
	json_type type = json_object_get_type(value);

	if (!value)
		return !field->required && field->fallback &&
		       strcmp(field->fallback, "null") == 0;
	switch (field->type) {
	case FIELD_TEXT:
		return type == json_type_string;
	case FIELD_INT:
		return type == json_type_int;
	case FIELD_BOOL:
		return type == json_type_boolean;
	case FIELD_NUMBER:
		return type == json_type_int || type == json_type_double;
	case FIELD_LIST:
		return type == json_type_array;
	case FIELD_OBJECT:
		return type == json_type_object;
	default:
		return true;
	}
}

static const char *sort(const struct event_type *type)
{
	return type->is_action ? "action" : "observation";
}

static int fill_one(const struct event_type *type, const struct event_field *field,
		    json_object *given, int how, json_object *out, struct error *err)
{
	json_object *value = NULL;
	int status = MT_OK;

	if (json_object_object_get_ex(given, field->name, &value)) {
		if ((how & FIELDS_TYPED) && !event_read_fits(field, value))
			return fail(err, MT_EINVAL,
				    "malformed %s: `%s` of `%s` must be %s", sort(type),
				    field->name, type->name, type_names[field->type]);
		json_object_get(value);
	} else if (field->required) {
		return fail(err, MT_EINVAL, "malformed %s: `%s` requires `%s`",
			    sort(type), type->name, field->name);
	} else if (event_field_is_ours(field)) {
		return MT_OK;
	} else {
		value = fallback(field, &status);
	}
	if (status || js_set(out, field->name, value))
		return out_of_memory(err);
	return MT_OK;
}

static bool is_object(json_object *value)
{
	return json_object_is_type(value, json_type_object);
}

/* The metadata of a command output, with defaults filled in. */
static int fill_metadata(json_object *extras)
{
	static const struct event_field fields[] = {
		{ "exit_code", FIELD_INT, false, "-1" },
		{ "pid", FIELD_INT, false, "-1" },
		{ "username", FIELD_TEXT, false, "null" },
		{ "hostname", FIELD_TEXT, false, "null" },
		{ "working_dir", FIELD_TEXT, false, "null" },
		{ "py_interpreter_path", FIELD_TEXT, false, "null" },
		{ "prefix", FIELD_TEXT, false, "\"\"" },
		{ "suffix", FIELD_TEXT, false, "\"\"" },
	};
	static const struct event_type type = {
		.name = "metadata",
		.fields = fields,
		.field_count = ARRAY_LEN(fields),
	};
	json_object *given = js_get(extras, "metadata");
	json_object *filled =
		event_fields_fill(&type, is_object(given) ? given : NULL, 0, NULL);

	return filled ? js_set(extras, "metadata", filled) : MT_ENOMEM;
}

json_object *event_fields_fill(const struct event_type *type, json_object *given, int how,
			       struct error *err)
{
	AUTO(json) json_object *out = NULL;

	if (given && !is_object(given)) {
		fail(err, MT_EINVAL, "malformed %s: the fields of `%s` must be an object",
		     sort(type), type->name);
		return NULL;
	}
	out = json_object_new_object();
	if (!out || js_incomplete(given)) {
		out_of_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < type->field_count; i++)
		if (fill_one(type, &type->fields[i], given, how, out, err))
			return NULL;
	if (given) {
		json_object_object_foreach(given, name, value) {
			if (event_field_find(type, name))
				continue;
			if ((how & FIELDS_STRICT) && type->is_action) {
				fail(err, MT_EINVAL,
				     "malformed action: `%s` has no field `%s`",
				     type->name, name);
				return NULL;
			}
			if (js_set(out, name, json_object_get(value))) {
				out_of_memory(err);
				return NULL;
			}
		}
	}
	if (type->id == OBSERVATION_RUN && fill_metadata(out)) {
		out_of_memory(err);
		return NULL;
	}
	return STEAL(out);
}

/* ---- legacy forms ------------------------------------------------------ */

/* Rename a member. */
static int rename_member(json_object *o, const char *from, const char *to)
{
	json_object *value;

	if (!json_object_object_get_ex(o, from, &value))
		return MT_OK;
	json_object_get(value);
	json_object_object_del(o, from);
	return js_set(o, to, value);
}

/* The editor call of an old event: print(file_editor(**{...})) */
static int take_editor_call(json_object *args, const char *code)
{
	static const char prefix[] = "print(file_editor(**";
	size_t len = strlen(code), skip = sizeof prefix - 1;
	AUTO(json) json_object *call = NULL;

	if (len < skip + 2 || strncmp(code, prefix, skip) != 0 ||
	    strcmp(code + len - 2, "))") != 0)
		return MT_OK;
	call = python_literal(code + skip, len - skip - 2);
	if (!is_object(call))
		return MT_OK;
	json_object_object_foreach(call, name, value)
		if (js_set(args, name, json_object_get(value)))
			return MT_ENOMEM;
	return MT_OK;
}

static int modernize_risk(json_object *args)
{
	json_object *risk = NULL;
	double level;

	if (!json_object_object_get_ex(args, "security_risk", &risk))
		return MT_OK;
	level = json_object_is_type(risk, json_type_int) ||
				json_object_is_type(risk, json_type_double)
			? json_object_get_double(risk)
			: -1;
	if (level == -1 || level == 0 || level == 1 || level == 2)
		return js_set_int(args, "security_risk", (int)level);
	return js_set_int(args, "security_risk", -1);
}

static int modernize_args(json_object *json, json_object *args)
{
	json_object *value = NULL;

	if (json_object_object_get_ex(args, "timestamp", &value)) {
		if (value && js_set(json, "timestamp", json_object_get(value)))
			return MT_ENOMEM;
		json_object_object_del(args, "timestamp");
	}
	if (event_read_has(args, "is_confirmed") && !js_get(args, "is_confirmed"))
		json_object_object_del(args, "is_confirmed");
	if (rename_member(args, "is_confirmed", "confirmation_state") ||
	    rename_member(args, "images_urls", "image_urls"))
		return MT_ENOMEM;
	json_object_object_del(args, "keep_prompt");
	json_object_object_del(args, "task_completed");
	if (event_read_has(args, "translated_ipython_code")) {
		if (take_editor_call(args, js_str(args, "translated_ipython_code", "")))
			return MT_ENOMEM;
		json_object_object_del(args, "translated_ipython_code");
		if (strcmp(js_str(args, "command", ""), "view") == 0)
			json_object_object_del(args, "command");
	}
	return modernize_risk(args);
}

static int modernize_extras(json_object *extras)
{
	static const char *const moved[][2] = {
		{ "exit_code", "exit_code" },
		{ "command_id", "pid" },
	};

	for (size_t i = 0; i < ARRAY_LEN(moved); i++) {
		json_object *value = NULL;

		if (!json_object_object_get_ex(extras, moved[i][0], &value))
			continue;
		if (!is_object(js_get(extras, "metadata")) &&
		    js_set_new(extras, "metadata", json_object_new_object()))
			return MT_ENOMEM;
		if (js_set(js_get(extras, "metadata"), moved[i][1],
			   json_object_get(value)))
			return MT_ENOMEM;
		json_object_object_del(extras, moved[i][0]);
	}
	json_object_object_del(extras, "formatted_output_and_error");
	return MT_OK;
}

/* ---- whole events ------------------------------------------------------ */

/* List all types of one sort, for a message. */
static void event_read_add_known(struct strbuf *out, bool is_action)
{
	const struct event_type *type;

	for (size_t n = 0; (type = event_type_at(is_action, n)); n++)
		strbuf_addf(out, "%s%s", n ? ", " : "", type->name);
}

static const struct event_type *event_read_find_type(json_object *json, struct error *err)
{
	AUTO(strbuf) struct strbuf known = STRBUF(4096);
	bool is_action = event_read_has(json, "action");
	const struct event_type *type;
	const char *name;

	if (!is_object(json) || (!is_action && !event_read_has(json, "observation"))) {
		fail(err, MT_EINVAL,
		     "unknown event: it has neither `action` nor `observation`");
		return NULL;
	}
	name = js_str(json, is_action ? "action" : "observation", "");
	type = event_type_find(is_action, name);
	if (type)
		return type;
	event_read_add_known(&known, is_action);
	if (is_action)
		fail(err, MT_EINVAL,
		     "malformed action: unknown action `%.64s`; known: %s", name,
		     known.text);
	else
		fail(err, MT_ENOTFOUND, "unknown observation `%.64s`; known: %s", name,
		     known.text);
	return NULL;
}

/* Members that every event may have. */
static int check_common(json_object *json, struct error *err)
{
	static const struct {
		const char *name;
		json_type type;
	} members[] = {
		{ "id", json_type_int },
		{ "cause", json_type_int },
		{ "source", json_type_string },
		{ "timestamp", json_type_string },
		{ "tool_call_metadata", json_type_object },
		{ "args", json_type_object },
		{ "extras", json_type_object },
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		json_object *value = js_get(json, members[i].name);

		if (value && !json_object_is_type(value, members[i].type))
			return fail(err, MT_EINVAL,
				    "malformed event: `%s` has the wrong type",
				    members[i].name);
	}

	const char *source = js_str(json, "source", NULL);

	if (source && event_source_find(source) == SOURCE_NONE)
		return fail(err, MT_EINVAL, "malformed event: unknown source `%.64s`",
			    source);
	if (js_int(json, "id", 0) < -1 || js_int(json, "cause", 0) < -1)
		return fail(err, MT_EINVAL, "malformed event: negative id");
	return MT_OK;
}

static int check_condensation(json_object *args, struct error *err)
{
	bool ids = js_get(args, "forgotten_event_ids");
	bool start = js_get(args, "forgotten_events_start_id");
	bool end = js_get(args, "forgotten_events_end_id");

	if (start != end || ids == start)
		return fail(err, MT_EINVAL,
			    "condensation: use either forgotten_event_ids or the first "
			    "and last forgotten id");
	if (!js_get(args, "summary") != !js_get(args, "summary_offset"))
		return fail(err, MT_EINVAL,
			    "condensation: summary requires summary_offset and vice "
			    "versa");
	return MT_OK;
}

static int event_read_check_fields(const struct event_type *type, json_object *fields,
				   struct error *err)
{
	if (type->id == ACTION_CONDENSATION)
		return check_condensation(fields, err);
	if (type->id == OBSERVATION_RECALL) {
		const char *kind = js_str(fields, "recall_type", "");

		if (strcmp(kind, "workspace_context") != 0 &&
		    strcmp(kind, "knowledge") != 0)
			return fail(err, MT_EINVAL, "recall: unknown recall_type `%.64s`",
				    kind);
	}
	return MT_OK;
}

/* Convert args or extras of a copied event to the current form. */
static int read_fields(const struct event_type *type, json_object *json, int how,
		       struct error *err)
{
	const char *name = type->is_action ? "args" : "extras";
	json_object *given = js_get(json, name), *filled;

	if (given &&
	    (type->is_action ? modernize_args(json, given) : modernize_extras(given)))
		return out_of_memory(err);
	filled = event_fields_fill(type, given, how, err);
	if (!filled)
		return MT_EINVAL;
	if (js_set(json, name, filled))
		return out_of_memory(err);
	return event_read_check_fields(type, filled, err);
}

static int read_content(struct event *e, int how)
{
	AUTO(strbuf) struct strbuf cut = STRBUF(SIZE_MAX / 2);
	const char *content;
	size_t len;

	if (e->is_action)
		return MT_OK;
	if (!js_get(e->json, "content"))
		return js_set_str(e->json, "content", "");
	if (e->type->id != OBSERVATION_RUN || event_hidden(e) || !(how & FIELDS_STRICT))
		return MT_OK;
	content = event_content(e, &len);
	if (event_truncate_content(content, len, EVENT_OUTPUT_MAX, &cut))
		return MT_ENOMEM;
	return cut.len == len ? MT_OK
			      : js_set_strn(e->json, "content", cut.text, cut.len);
}

/* Remove members of the event itself that are null. Takes `json`. @return NULL: out of
 * memory. */
static json_object *event_read_without_nulls(json_object *json)
{
	AUTO(json) json_object *taken = json;
	AUTO(json) json_object *kept = json_object_new_object();

	json_object_object_foreach(taken, name, value)
		if (value && js_set(kept, name, json_object_get(value)))
			return NULL;
	return STEAL(kept);
}

static struct event *event_read_event(json_object *json, int how, struct error *err)
{
	const struct event_type *type = event_read_find_type(json, err);
	AUTO(json) json_object *copy = NULL;

	if (!type || check_common(json, err))
		return NULL;
	if (json_object_deep_copy(json, &copy, NULL) != 0) {
		out_of_memory(err);
		return NULL;
	}
	if (how & FIELDS_STRICT)
		copy = event_read_without_nulls(copy);
	if (!copy) {
		out_of_memory(err);
		return NULL;
	}
	if (js_int(copy, "id", 0) < 0)
		json_object_object_del(copy, "id");
	if (read_fields(type, copy, how, err))
		return NULL;

	AUTO(event) struct event *e = event_wrap(type, STEAL(copy), err);

	if (e && (read_content(e, how) || event_derive(e))) {
		out_of_memory(err);
		return NULL;
	}
	return STEAL(e);
}

struct event *event_from_json(json_object *json, struct error *err)
{
	return event_read_event(json, FIELDS_STRICT, err);
}

struct event *event_import(json_object *json, struct error *err)
{
	return event_read_event(json, 0, err);
}

struct event *event_adopt(json_object *json, struct error *err)
{
	AUTO(json) json_object *taken = json;
	const struct event_type *type = event_read_find_type(json, err);

	if (!type || check_common(json, err))
		return NULL;
	return event_wrap(type, STEAL(taken), err);
}
