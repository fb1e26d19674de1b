/* SPDX-License-Identifier: MIT
 *
 * action-to-call.c - converts an action to a tool call. */
#include "tools/calls.h"

#include "literal.h"
#include "strbuf.h"
#include "tools/mapping.h"

#include <string.h>

enum { DEADLINE_SPARE_MS = 30 * 1000 }; /* added to a timeout that the tool enforces */

/* ---- reversing an entry of a mapping ------------------------------------- */

/* @return MT_OK if the field has its default value, MT_ENOTFOUND, or MT_ENOMEM. */
static int action_to_call_check_default(json_object *value, const struct event_type *type,
					const char *name)
{
	const struct event_field *field = event_field_find(type, name);
	struct error err = ERROR_NONE;
	AUTO(json) json_object *fallback =
		value && field && field->fallback
			? js_parse(field->fallback, strlen(field->fallback), &err)
			: NULL;

	if (err.code)
		return err.code;
	return !value || js_equal(value, fallback) ? MT_OK : MT_ENOTFOUND;
}

/* @return MT_ENOTFOUND if a field has a value that the entry cannot express as an
 * argument, MT_OK, or MT_ENOMEM. */
static int action_to_call_check_fields(const struct event *action, json_object *forms)
{
	static const char *const of_the_host[] = { "thought", "security_risk", "blocking",
						   "confirmation_state", "hidden", "cwd",
						   "is_static" };
	json_object *fields = event_args(action);
	int status = MT_OK;

	json_object_object_foreach(fields, name, value) {
		bool known = js_get(forms, name);

		for (size_t i = 0; i < ARRAY_LEN(of_the_host); i++)
			known |= strcmp(name, of_the_host[i]) == 0;
		if (!known && event_field_find(action->type, name))
			status = action_to_call_check_default(value, action->type, name);
		if (status)
			return status;
	}
	return MT_OK;
}

static int put_all(json_object *args, json_object *all)
{
	if (!json_object_is_type(all, json_type_object))
		return MT_OK;
	json_object_object_foreach(all, name, value)
		if (js_set(args, name, json_object_get(value)))
			return MT_ENOMEM;
	return MT_OK;
}

/* Set the argument from which a field was filled. `tool`: only arguments that it has;
 * NULL: any. */
static int action_to_call_put_argument(json_object *args, const struct tool *tool,
				       const char *form, json_object *value)
{
	if (!value)
		return MT_OK;
	if (strcmp(form, "$*") == 0)
		return put_all(args, value);
	if (tool && !mapping_knows(tool, form + 1))
		return MT_OK;
	return js_set(args, form + 1, json_object_get(value));
}

/* @return MT_OK, MT_ENOTFOUND (a literal of the entry differs from the action), or
 * MT_ENOMEM. With `loose`, a field that has its default value may differ from the
 * literal. */
static int action_to_call_put_fields(json_object *args, const struct tool *tool,
				     json_object *forms, const struct event *action,
				     bool loose)
{
	json_object_object_foreach(forms, name, form) {
		json_object *value = js_get(event_args(action), name);
		const char *text = js_str(form, "$each", NULL);
		int status = MT_OK;

		if (!text && json_object_is_type(form, json_type_string))
			text = json_object_get_string(form);
		if (text && text[0] == '$') {
			status = action_to_call_put_argument(args, tool, text, value);
		} else if (!js_equal(value, form)) {
			status = loose ? action_to_call_check_default(value, action->type,
								      name)
				       : MT_ENOTFOUND;
		}
		if (status)
			return status;
	}
	return MT_OK;
}

static int put_when(json_object *args, json_object *when)
{
	json_object_object_foreach(when, name, want) {
		if (!js_get(args, name)) {
			if (js_set(args, name, json_object_get(want)))
				return MT_ENOMEM;
		} else if (!js_equal(js_get(args, name), want)) {
			return MT_ENOTFOUND;
		}
	}
	return MT_OK;
}

/* The arguments from which an entry produces this action. */
static int invert(const struct tool *tool, json_object *mapping,
		  const struct event *action, bool loose, json_object **ret)
{
	AUTO(json) json_object *args = json_object_new_object();
	json_object *forms = js_get(mapping, "args"), *when = js_get(mapping, "when");
	json_object *timeout = js_get(action->json, "timeout");
	const char *form = js_str(mapping, "timeout", "");
	int r = args ? MT_OK : MT_ENOMEM;

	if (strcmp(js_str(mapping, "action", ""), action->type->name) != 0)
		return MT_ENOTFOUND;
	if (!r && loose)
		r = action_to_call_check_fields(action, forms);
	if (!r && forms)
		r = action_to_call_put_fields(args,
					      js_bool(mapping, "internal", false) ? NULL
										  : tool,
					      forms, action, loose);
	if (!r && when)
		r = put_when(args, when);
	if (!r && form[0] == '$' && timeout &&
	    js_bool(event_args(action), "blocking", true))
		r = js_set(args, form + 1, json_object_get(timeout));
	if (!r)
		*ret = STEAL(args);
	return r;
}

static int invert_any(const struct tool *tool, const struct event *action, bool loose,
		      json_object **ret)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;
	int r = MT_ENOTFOUND;

	for (size_t i = 0; r == MT_ENOTFOUND && i < n; i++)
		r = invert(tool, json_object_array_get_idx(tool->events, i), action,
			   loose, ret);
	return r;
}

/* ---- actions ----------------------------------------------------------- */

static int action_to_call_by_name(const struct catalog *catalog,
				  const struct event *action,
				  const struct tool **ret_tool, json_object **ret_args,
				  struct error *err)
{
	json_object *given = js_get(event_args(action), "arguments");
	const char *name = event_arg(action, "name");
	const struct tool *tool = catalog_find(catalog, name);

	if (!tool) {
		const char *text = given ? js_text(given, NULL) : "{}";

		return text ? catalog_unknown(catalog, name, text, err)
			    : out_of_memory(err);
	}
	*ret_args = given ? json_object_get(given) : json_object_new_object();
	if (!*ret_args)
		return out_of_memory(err);
	*ret_tool = tool;
	return MT_OK;
}

static int action_to_call_search(const struct catalog *catalog,
				 const struct event *action, const char *preferred,
				 bool loose, const struct tool **ret_tool,
				 json_object **ret_args)
{
	const struct tool *tool = preferred ? catalog_find(catalog, preferred) : NULL;
	int r = tool ? invert_any(tool, action, loose, ret_args) : MT_ENOTFOUND;

	for (size_t i = 0; r == MT_ENOTFOUND && i < catalog->count; i++) {
		tool = &catalog->tools[i];
		r = invert_any(tool, action, loose, ret_args);
	}
	if (!r)
		*ret_tool = tool;
	return r;
}

/* Convert V0's action to visit a URL to the equivalent browser action. For any other
 * action `*ret` stays unchanged. */
static int as_browser_code(const struct event *action, struct event **ret,
			   struct error *err)
{
	AUTO(strbuf) struct strbuf code = STRBUF(1 << 20);
	json_object *url = js_get(event_args(action), "url"), *args;

	if (action->type->id != ACTION_BROWSE)
		return MT_OK;
	strbuf_add(&code, "goto(");
	literal_put(&code, url);
	strbuf_add(&code, ")");
	args = js_new_object();
	js_set_str(args, "browser_actions", code.error ? NULL : code.text);
	js_set_bool(args, "return_axtree",
		    js_bool(event_args(action), "return_axtree", false));
	*ret = event_action("browse_interactive", action->source, args, err);
	return *ret ? MT_OK : err->code;
}

int action_to_call(const struct catalog *catalog, const struct event *action,
		   const char *preferred, const struct tool **ret_tool,
		   json_object **ret_args, struct error *err)
{
	AUTO(event) struct event *visit = NULL;
	const char *type = action->type->name;
	int r = as_browser_code(action, &visit, err);

	if (r)
		return r;
	if (visit)
		action = visit;
	if (action->type->id == ACTION_CALL_TOOL ||
	    action->type->id == ACTION_CALL_TOOL_MCP)
		return action_to_call_by_name(catalog, action, ret_tool, ret_args, err);
	r = action_to_call_search(catalog, action, preferred, false, ret_tool, ret_args);
	if (r == MT_ENOTFOUND)
		r = action_to_call_search(catalog, action, preferred, true, ret_tool,
					  ret_args);
	if (r == MT_ENOTFOUND)
		return fail(err, r, "no enabled tool executes the action `%s`", type);
	return r ? fail_code(err, r) : MT_OK;
}

const char *call_observation(const struct tool *tool, const struct event *action)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *m = json_object_array_get_idx(tool->events, i);

		if (strcmp(js_str(m, "action", ""), action->type->name) == 0 ||
		    (action->type->id == ACTION_BROWSE &&
		     strcmp(js_str(m, "action", ""), "browse_interactive") == 0))
			return js_str(m, "observation", "tool");
	}
	return action->type->id == ACTION_CALL_TOOL_MCP ? "mcp" : "tool";
}

int64_t action_timeout_ms(const struct event *action)
{
	double seconds = js_number(action->json, "timeout", 0);

	return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1000) : 0;
}

int64_t call_deadline_ms(const struct tool_instance *t, const struct tool *tool,
			 int64_t asked_ms)
{
	int64_t own = component_option_int(t->component, t->options, "timeout");
	int64_t most = own > asked_ms ? own : asked_ms;
	int64_t deadline = tool->deadline_ms && !t->deadline_set ? tool->deadline_ms
								 : t->deadline_ms;

	if (deadline > 0 && most > 0 && most + DEADLINE_SPARE_MS > deadline)
		return most + DEADLINE_SPARE_MS;
	return deadline;
}
