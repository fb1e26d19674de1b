/* SPDX-License-Identifier: MIT
 *
 * calls.c - tool calls to actions and back, by the mapping of the tool. */
#include "tools/calls.h"

#include "schema.h"
#include "tools/repair.h"

#include <math.h>
#include <mortise/tool.h>
#include <string.h>

static int check_required(const struct tool *tool, json_object *args, struct error *err)
{
	json_object *required = js_get(tool->schema_json, "required");
	size_t n = required ? json_object_array_length(required) : 0;

	if (tool->hints & MT_TOOL_CONTROL)
		return MT_OK;
	for (size_t i = 0; i < n; i++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(required, i));

		if (strcmp(name, "security_risk") != 0 && !js_get(args, name))
			return fail(err, MT_EINVAL,
				    "Missing required argument \"%s\" in tool call %s", name,
				    tool->name);
	}
	return MT_OK;
}

json_object *call_arguments(const struct tool *tool, const char *text, size_t len,
			    struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *args = repair_parse(text, len, &why);

	if (!args) {
		fail(err, MT_EINVAL, "Failed to parse tool call arguments: %.*s",
		     (int)(len < 300 ? len : 300), text);
		return NULL;
	}
	if (repair_arguments(tool->schema_json, args)) {
		fail(err, MT_ENOMEM, "out of memory");
		return NULL;
	}
	if (check_required(tool, args, err))
		return NULL;
	if (!(tool->hints & MT_TOOL_CONTROL) && schema_check(tool->schema_json, args, &why)) {
		fail(err, MT_EINVAL, "Wrong arguments in tool call %s: %s", tool->name,
		     why.text);
		return NULL;
	}
	return STEAL(args);
}

/* Does a mapping apply to these arguments? */
static bool when_matches(json_object *when, json_object *args)
{
	if (!when)
		return true;
	json_object_object_foreach(when, name, want)
		if (!js_equal(js_get(args, name), want))
			return false;
	return true;
}

static json_object *mapping_for(const struct tool *tool, json_object *args)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *m = json_object_array_get_idx(tool->events, i);

		if (when_matches(js_get(m, "when"), args))
			return m;
	}
	return NULL;
}

/* A value in the type of the field that it goes to; models write "true" and
 * "3" where a boolean or a number is meant. A reference for the caller. */
static json_object *coerce(json_object *value, const struct event_field *field)
{
	const char *text;
	char *end;

	if (!value || !json_object_is_type(value, json_type_string) || !field)
		return json_object_get(value);
	text = json_object_get_string(value);
	if (field->type == FIELD_BOOL)
		return json_object_new_boolean(strcmp(text, "true") == 0);
	if (field->type == FIELD_INT && *text) {
		long long n = strtoll(text, &end, 10);

		if (*end == '\0')
			return json_object_new_int64(n);
	}
	return json_object_get(value);
}

/* "$x" stands for the argument x, "$*" for all, anything else for itself. */
static json_object *resolve(json_object *form, json_object *args)
{
	const char *text = json_object_is_type(form, json_type_string)
				   ? json_object_get_string(form) : "";

	if (text[0] != '$')
		return form;
	return strcmp(text, "$*") == 0 ? args : js_get(args, text + 1);
}

static int fill_fields(json_object *fields, json_object *mapping, json_object *args,
		       const struct event_type *type)
{
	json_object *forms = js_get(mapping, "args");

	if (!forms)
		return MT_OK;
	json_object_object_foreach(forms, name, form) {
		json_object *value = resolve(form, args);

		if (value && js_set(fields, name, coerce(value, event_field_find(type, name))))
			return MT_ENOMEM;
	}
	return MT_OK;
}

static int fill_risk(json_object *fields, json_object *args, const struct event_type *type)
{
	static const char *const names[] = { "LOW", "MEDIUM", "HIGH" };
	const char *risk = js_str(args, "security_risk", "");

	if (!event_field_find(type, "security_risk"))
		return MT_OK;
	for (int i = 0; i < 3; i++)
		if (strcmp(risk, names[i]) == 0)
			return js_set_int(fields, "security_risk", i);
	return MT_OK;
}

/* The time-out of a call: a number of seconds, which makes it blocking. */
static int set_timeout(struct event *e, json_object *mapping, json_object *args,
		       const struct tool *tool, struct error *err)
{
	json_object *form = js_get(mapping, "timeout");
	json_object *value = form ? resolve(form, args) : NULL;
	double seconds;
	char *end;

	if (!value)
		return MT_OK;
	if (json_object_is_type(value, json_type_string)) {
		seconds = strtod(json_object_get_string(value), &end);
		if (*end || end == json_object_get_string(value))
			seconds = -1;
	} else {
		seconds = json_object_get_double(value);
	}
	if (!isfinite(seconds) || seconds < 0)
		return fail(err, MT_EINVAL,
			    "Invalid timeout in tool call %s: write a number of seconds",
			    tool->name);
	if (event_field_find(e->type, "blocking"))
		js_set_bool(event_args(e), "blocking", true);
	return js_set(e->json, "timeout", json_object_new_double(seconds));
}

struct event *call_to_action(const struct tool *tool, json_object *args,
			     const char *thought, struct error *err)
{
	json_object *mapping = mapping_for(tool, args);
	const char *name = js_str(mapping, "action", "call_tool");
	const struct event_type *type = event_type_find(true, name);
	AUTO(json) json_object *fields = json_object_new_object();
	AUTO(event) struct event *e = NULL;
	int r;

	if (!type) {
		fail(err, MT_EINVAL, "tool %s maps to an unknown action `%s`", tool->name,
		     name);
		return NULL;
	}
	if (mapping) {
		r = fill_fields(fields, mapping, args, type);
	} else {
		r = js_set_str(fields, "name", tool->name);
		if (!r)
			r = js_set(fields, "arguments", json_object_get(args));
	}
	if (!r)
		r = fill_risk(fields, args, type);
	if (!r && *thought && event_field_find(type, "thought")
	    && !js_get(fields, "thought"))
		r = js_set_str(fields, "thought", thought);
	if (r) {
		fail(err, r, "out of memory");
		return NULL;
	}
	e = event_action(name, SOURCE_AGENT, STEAL(fields), err);
	if (!e || set_timeout(e, mapping, args, tool, err))
		return NULL;
	return STEAL(e);
}

/* The arguments that give this action by a mapping; NULL if it does not. */
static json_object *invert(const struct tool *tool, json_object *mapping,
			   const struct event *action)
{
	AUTO(json) json_object *args = json_object_new_object();
	json_object *fields = event_args(action), *forms = js_get(mapping, "args");
	json_object *when = js_get(mapping, "when"), *properties;
	json_object *form;

	if (strcmp(js_str(mapping, "action", ""), action->type->name) != 0)
		return NULL;
	properties = js_get(tool->schema_json, "properties");
	if (forms) {
		json_object_object_foreach(forms, name, to) {
			json_object *value = js_get(fields, name);
			const char *text = json_object_is_type(to, json_type_string)
						   ? json_object_get_string(to) : "";

			if (text[0] != '$') {
				if (!js_equal(value, to))
					return NULL;
			} else if (value && js_get(properties, text + 1)) {
				js_set(args, text + 1, json_object_get(value));
			}
		}
	}
	if (when) {
		json_object_object_foreach(when, name, want) {
			if (!js_get(args, name))
				js_set(args, name, json_object_get(want));
			else if (!js_equal(js_get(args, name), want))
				return NULL;
		}
	}
	form = js_get(mapping, "timeout");
	if (form && js_get(action->json, "timeout") && js_bool(fields, "blocking", true))
		js_set(args, json_object_get_string(form) + 1,
		       json_object_get(js_get(action->json, "timeout")));
	return STEAL(args);
}

static json_object *invert_any(const struct tool *tool, const struct event *action)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *args =
			invert(tool, json_object_array_get_idx(tool->events, i), action);

		if (args)
			return args;
	}
	return NULL;
}

int action_to_call(const struct catalog *catalog, const struct event *action,
		   const char *preferred, const struct tool **ret_tool,
		   json_object **ret_args, struct error *err)
{
	const char *name = event_arg(action, "name");
	const struct tool *tool;

	if (strcmp(action->type->name, "call_tool") == 0
	    || strcmp(action->type->name, "call_tool_mcp") == 0) {
		tool = catalog_find(catalog, name);
		if (!tool)
			return catalog_unknown(catalog, name, "", err);
		*ret_tool = tool;
		*ret_args = json_object_get(js_get(event_args(action), "arguments"));
		if (!*ret_args)
			*ret_args = json_object_new_object();
		return MT_OK;
	}
	tool = preferred ? catalog_find(catalog, preferred) : NULL;
	*ret_args = tool ? invert_any(tool, action) : NULL;
	for (size_t i = 0; !*ret_args && i < catalog->count; i++) {
		tool = &catalog->tools[i];
		*ret_args = invert_any(tool, action);
	}
	if (!*ret_args)
		return fail(err, MT_ENOTFOUND, "no wired tool executes the action `%s`",
			    action->type->name);
	*ret_tool = tool;
	return MT_OK;
}

const char *call_observation(const struct tool *tool, const struct event *action)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *m = json_object_array_get_idx(tool->events, i);

		if (strcmp(js_str(m, "action", ""), action->type->name) == 0)
			return js_str(m, "observation", "tool");
	}
	return strcmp(action->type->name, "call_tool_mcp") == 0 ? "mcp" : "tool";
}

int64_t action_timeout_ms(const struct event *action)
{
	double seconds = js_number(action->json, "timeout", 0);

	return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1000) : 0;
}
