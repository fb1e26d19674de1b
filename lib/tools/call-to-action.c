/* SPDX-License-Identifier: MIT
 *
 * call-to-action.c - converts a tool call to an action, using the tool's mapping. */
#include "tools/calls.h"

#include "argument-repair.h"
#include "schema.h"
#include "tools/mapping.h"
#include "tools/tool-name-repair.h"
#include "utf8.h"

#include <math.h>
#include <mortise/tool.h>
#include <string.h>

/* ---- arguments --------------------------------------------------------- */

static json_object *call_to_action_read_arguments(const char *text, size_t len,
						  struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *args;

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	if (len == 0) /* some models call a tool without parameters this way */
		args = json_object_new_object();
	else
		args = repair_parse(text, len, &why);
	if (!args && (!why.code || why.code == MT_ENOMEM))
		out_of_memory(err);
	else if (!args && strncmp(why.text, "byte 0: ", 8) == 0) /* not JSON */
		fail(err, MT_EINVAL, "Failed to parse tool call arguments: %.*s",
		     (int)utf8_cut(text, len, 300), text);
	else if (!args)
		fail(err, MT_EINVAL, "Failed to parse tool call arguments: %.*s (%s)",
		     (int)utf8_cut(text, len, 300), text, why.text);
	return args;
}

/* Check that the required arguments are present; security_risk may be missing. */
static int call_to_action_check_required(const struct tool *tool, json_object *required,
					 json_object *args, const char *purpose,
					 struct error *err)
{
	size_t n = js_length(required);

	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(required, i);
		const char *name = json_object_get_string(one);

		if (json_object_is_type(one, json_type_string) &&
		    strcmp(name, "security_risk") != 0 &&
		    !json_object_object_get_ex(args, name, NULL))
			return fail(err, MT_EINVAL,
				    "Missing required argument \"%s\"%s in tool call %s",
				    name, purpose, tool->name);
	}
	return MT_OK;
}

/* Check that the arguments required by the matching entry, such as that of command "plan",
 * are present. */
static int check_mapping(const struct tool *tool, json_object *args, struct error *err)
{
	json_object *mapping = mapping_for(tool, args);
	AUTO(strbuf) struct strbuf purpose = STRBUF(4096);
	json_object *when = js_get(mapping, "when");

	if (when) {
		json_object_object_foreach(when, name, value) {
			strbuf_add(&purpose, purpose.len ? " and " : " for ");
			js_put(&purpose, value);
			strbuf_addf(&purpose, " %s", name);
		}
	}
	return call_to_action_check_required(tool, js_get(mapping, "required"), args,
					     purpose.text, err);
}

/* The timeout that a call requests, in seconds. @return false: none. */
static int find_timeout(const struct tool *tool, json_object *args, double *ret,
			struct error *err)
{
	json_object *form = js_get(mapping_for(tool, args), "timeout");
	json_object *value = form ? mapping_value(form, args) : NULL;

	*ret = -1;
	if (!value)
		return MT_OK;
	if (json_object_is_type(value, json_type_int) ||
	    json_object_is_type(value, json_type_double))
		*ret = json_object_get_double(value);
	if (!isfinite(*ret) || *ret < 0)
		return fail(err, MT_EINVAL,
			    "Invalid float passed to 'timeout' argument: %.100s",
			    json_object_get_string(value));
	return MT_OK;
}

/* Reject unknown arguments, if the schema lists all of them. */
static int check_unknown(const struct tool *tool, json_object *args, struct error *err)
{
	json_object *properties = js_get(tool->schema_json, "properties");
	AUTO(strbuf) struct strbuf allowed = STRBUF(4096), unknown = STRBUF(1024);
	size_t count = 0;

	if (js_bool(tool->schema_json, "additionalProperties", true) || !properties)
		return MT_OK;
	json_object_object_foreach(args, name, value) {
		(void)value;
		if (json_object_object_get_ex(properties, name, NULL))
			continue;
		strbuf_addf(&unknown, "%s%.100s", count++ ? ", " : "", name);
	}
	if (!count)
		return MT_OK;
	json_object_object_foreach(properties, known, property) {
		(void)property;
		strbuf_addf(&allowed, "%s%s", allowed.len ? ", " : "", known);
	}
	return fail(err, MT_EINVAL,
		    "Unexpected argument%s %s in tool call %s. Allowed arguments are: %s",
		    count > 1 ? "s" : "", unknown.text, tool->name,
		    allowed.len ? allowed.text : "none");
}

/* Check the arguments against the whole schema. The model's risk level is for the host,
 * not the tool, unless the tool declares that argument. */
static int check_schema(const struct tool *tool, json_object *args, struct error *err)
{
	struct error why = ERROR_NONE;

	if ((tool->hints & MT_TOOL_CONTROL) || !tool->schema_json)
		return MT_OK;
	if (schema_check(tool->schema_json, args, &why))
		return why.code == MT_ENOMEM ? out_of_memory(err)
					     : fail(err, MT_EINVAL,
						    "Wrong arguments in tool call %s: %s",
						    tool->name, why.text);
	return MT_OK;
}

static int check_own(const struct tool *tool, json_object *args, struct error *err)
{
	int r = check_unknown(tool, args, err);

	return r ? r : check_schema(tool, args, err);
}

/* Check the required arguments. The error also names an unknown argument: it may be the
 * missing one under another name. */
static int check_missing(const struct tool *tool, json_object *args, struct error *err)
{
	struct error missing = ERROR_NONE, unknown = ERROR_NONE;

	if ((tool->hints & MT_TOOL_CONTROL) ||
	    call_to_action_check_required(tool, js_get(tool->schema_json, "required"),
					  args, "", &missing) == MT_OK)
		return MT_OK;
	if (check_unknown(tool, args, &unknown))
		return fail(err, MT_EINVAL, "%s. %s", missing.text, unknown.text);
	return fail(err, missing.code, "%s", missing.text);
}

static int check_all(const struct tool *tool, json_object *args, struct error *err)
{
	double seconds;

	if (check_missing(tool, args, err) || check_mapping(tool, args, err) ||
	    find_timeout(tool, args, &seconds, err))
		return err->code;
	return check_own(tool, args, err);
}

static int call_to_action_check(const struct tool *tool, json_object *args,
				struct error *err)
{
	bool own = mapping_knows(tool, "security_risk");
	json_object *risk;
	int r;

	if (repair_arguments(tool->schema_json, args))
		return out_of_memory(err);
	risk = own ? NULL : json_object_get(js_get(args, "security_risk"));
	if (risk)
		json_object_object_del(args, "security_risk");
	r = check_all(tool, args, err);
	if (risk && js_set(args, "security_risk", risk))
		return out_of_memory(err);
	return r;
}

json_object *call_arguments(const struct tool *tool, const char *text, size_t len,
			    struct error *err)
{
	AUTO(json) json_object *args = call_to_action_read_arguments(text, len, err);

	if (!args || call_to_action_check(tool, args, err))
		return NULL;
	return STEAL(args);
}

/* ---- the action -------------------------------------------------------- */

static int fill_risk(json_object *fields, json_object *args,
		     const struct event_type *type)
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

/* Put text of the reply before a thought of the call, or before the text of a message. */
static int fill_thought(json_object *fields, const char *thought,
			const struct event_type *type)
{
	const char *name = type->id == ACTION_MESSAGE ? "content" : "thought";
	const char *own = js_str(fields, name, "");
	AUTO(strbuf) struct strbuf both = STRBUF(64 << 20);

	if (!*thought || !event_field_find(type, name))
		return MT_OK;
	if (strbuf_addf(&both, "%s%s%s", thought, *own ? "\n" : "", own))
		return MT_ENOMEM;
	return js_set_strn(fields, name, both.text, both.len);
}

static int set_timeout(struct event *e, const struct tool *tool, json_object *args,
		       struct error *err)
{
	double seconds;

	if (find_timeout(tool, args, &seconds, err))
		return err->code;
	if (seconds < 0)
		return MT_OK;
	if (event_field_find(e->type, "blocking") &&
	    js_set_bool(event_args(e), "blocking", true))
		return out_of_memory(err);
	if (js_set_number(e->json, "timeout", seconds))
		return out_of_memory(err);
	return MT_OK;
}

struct event *call_to_action(const struct tool *tool, json_object *args,
			     const char *thought, struct error *err)
{
	const char *name = mapping_action(tool, args);
	const struct event_type *type = event_type_find(true, name);
	AUTO(json) json_object *fields = NULL;
	AUTO(event) struct event *e = NULL;

	if (!type) {
		fail(err, MT_EINVAL, "tool %s maps to an unknown action `%s`", tool->name,
		     name);
		return NULL;
	}
	fields = mapping_fields(tool, args, type, err);
	if (!fields)
		return NULL;
	if (fill_risk(fields, args, type) || fill_thought(fields, thought, type)) {
		out_of_memory(err);
		return NULL;
	}
	e = event_action(name, SOURCE_AGENT, STEAL(fields), err);
	if (!e || set_timeout(e, tool, args, err))
		return NULL;
	return STEAL(e);
}

/* While an analyzer uses the risk that the model reports, it must be a valid level. */
static int check_risk(const struct catalog *catalog, const struct tool *tool,
		      json_object *args, struct error *err)
{
	static const char *const names[] = { "LOW", "MEDIUM", "HIGH", "UNKNOWN" };
	json_object *risk = js_get(args, "security_risk");
	const char *text;

	if (!risk || !catalog->reads_risk || mapping_knows(tool, "security_risk") ||
	    tool_only_reads(tool) || (tool->hints & MT_TOOL_CONTROL))
		return MT_OK;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(js_str(args, "security_risk", ""), names[i]) == 0)
			return MT_OK;
	text = js_text(risk, NULL);
	return !text ? out_of_memory(err)
		     : fail(err, MT_EINVAL,
			    "Wrong arguments in tool call %s: security_risk "
			    "is LOW, MEDIUM or HIGH, not %.100s",
			    tool->name, text);
}

struct event *call_event(const struct catalog *catalog, const char *name,
			 const char *text, size_t len, const char *thought,
			 const struct tool **ret_tool, struct error *err)
{
	AUTO(json) json_object *args = call_to_action_read_arguments(text, len, err);
	const struct tool *tool = NULL;

	if (ret_tool)
		*ret_tool = NULL;
	if (!args)
		return NULL;
	if (tool_name_resolve(catalog, name, args, &tool)) {
		out_of_memory(err);
		return NULL;
	}
	if (!tool) {
		const char *given = js_text(args, NULL);

		if (given)
			catalog_unknown(catalog, name, given, err);
		else
			out_of_memory(err);
		return NULL;
	}
	if (ret_tool)
		*ret_tool = tool;
	if (call_to_action_check(tool, args, err) || check_risk(catalog, tool, args, err))
		return NULL;
	return call_to_action(tool, args, thought, err);
}

struct event *call_message_event(const char *text, size_t len, bool wait,
				 struct error *err)
{
	json_object *args = json_object_new_object();

	if (!args || js_set_strn(args, "content", text, len) ||
	    js_set_bool(args, "wait_for_response", wait)) {
		json_object_put(args);
		out_of_memory(err);
		return NULL;
	}
	return event_action("message", SOURCE_AGENT, args, err);
}
