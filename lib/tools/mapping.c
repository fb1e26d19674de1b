/* SPDX-License-Identifier: MIT
 *
 * mapping.c - maps arguments to the fields of an action. */
#include "tools/mapping.h"

#include <inttypes.h>
#include <string.h>

static bool when_matches(json_object *when, json_object *args)
{
	if (!when)
		return true;
	json_object_object_foreach(when, name, want)
		if (!js_equal(js_get(args, name), want))
			return false;
	return true;
}

json_object *mapping_for(const struct tool *tool, json_object *args)
{
	size_t n = tool->events ? json_object_array_length(tool->events) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *m = json_object_array_get_idx(tool->events, i);

		if (when_matches(js_get(m, "when"), args))
			return m;
	}
	return NULL;
}

const char *mapping_action(const struct tool *tool, json_object *args)
{
	return js_str(mapping_for(tool, args), "action", "call_tool");
}

bool mapping_knows(const struct tool *tool, const char *parameter)
{
	return js_get(js_get(tool->schema_json, "properties"), parameter);
}

json_object *mapping_value(json_object *form, json_object *args)
{
	const char *text = json_object_is_type(form, json_type_string)
				   ? json_object_get_string(form)
				   : "";

	if (text[0] != '$')
		return form;
	return strcmp(text, "$*") == 0 ? args : js_get(args, text + 1);
}

static const char *mapping_kind_of(json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return "null";
	case json_type_boolean:
		return "a boolean";
	case json_type_string:
		return "a string";
	case json_type_object:
		return "an object";
	case json_type_array:
		return "a list";
	case json_type_int:
	case json_type_double:
		break;
	}
	return "a number";
}

/* The default of an item: "$n" in a string is its index in the list, from 1. */
static json_object *item_default(json_object *form, size_t place)
{
	const char *text = json_object_is_type(form, json_type_string)
				   ? json_object_get_string(form)
				   : "";
	const char *mark = strstr(text, "$n");
	AUTO(strbuf) struct strbuf whole = STRBUF(4096);

	if (!mark)
		return json_object_get(form);
	strbuf_addf(&whole, "%.*s%zu%s", (int)(mark - text), text, place, mark + 2);
	return whole.error ? NULL : json_object_new_string(whole.text);
}

static json_object *whole_item(json_object *item, json_object *defaults, size_t place)
{
	AUTO(json) json_object *out = json_object_new_object();

	if (!out)
		return NULL;
	json_object_object_foreach(defaults, name, form) {
		json_object *given = js_get(item, name);
		int r = given || !form ? js_set(out, name, json_object_get(given))
				       : js_set_new(out, name, item_default(form, place));

		if (r)
			return NULL;
	}
	return STEAL(out);
}

/* Rename a member that has an alternative name: {"also": {name: [other, ...]}}. */
static int take_synonyms(json_object *item, json_object *also)
{
	if (!also)
		return MT_OK;
	json_object_object_foreach(also, name, others) {
		for (size_t i = 0; i < js_length(others) && !js_get(item, name); i++) {
			json_object *other = json_object_array_get_idx(others, i);
			json_object *value = js_get(item, json_object_get_string(other));

			if (value && js_set(item, name, json_object_get(value)))
				return MT_ENOMEM;
		}
	}
	return MT_OK;
}

static void mapping_put_names(json_object *o, struct strbuf *out)
{
	json_object_object_foreach(o, name, value) {
		(void)value;
		strbuf_addf(out, "%s%s", out->len ? ", " : "", name);
	}
}

/* Replace values by their equivalents: {"values": {name: {given: value}}}; any other
 * value is an error. */
static int take_values(json_object *item, json_object *values, size_t place,
		       const char *list, struct error *err)
{
	if (!values)
		return MT_OK;
	json_object_object_foreach(values, name, known) {
		json_object *given = js_get(item, name), *value;
		AUTO(strbuf) struct strbuf names = STRBUF(1024);

		if (!given)
			continue;
		value = js_get(known, json_object_get_string(given));
		if (value && !js_set(item, name, json_object_get(value)))
			continue;
		if (value)
			return out_of_memory(err);
		mapping_put_names(known, &names);
		return fail(err, MT_EINVAL,
			    "Invalid %s \"%.100s\" in item %zu of \"%s\". Allowed values "
			    "are: %s.",
			    name, json_object_get_string(given), place, list, names.text);
	}
	return MT_OK;
}

/* A form {"$each": "$x", "item": {name: default}}: the argument x, a list of objects with
 * these members. *ret NULL: there is no argument x. */
static int each_item(json_object *form, json_object *args, json_object **ret,
		     struct error *err)
{
	const char *source = js_str(form, "$each", "$");
	json_object *list = js_get(args, source + 1), *defaults = js_get(form, "item");
	AUTO(json) json_object *out = NULL;

	*ret = NULL;
	if (!list)
		return MT_OK;
	if (!json_object_is_type(list, json_type_array))
		return fail(err, MT_EINVAL,
			    "Invalid format for \"%s\". Expected a list but got %s.",
			    source + 1, mapping_kind_of(list));
	out = json_object_new_array();
	for (size_t i = 0; out && i < json_object_array_length(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);
		json_object *whole;

		if (!json_object_is_type(item, json_type_object))
			return fail(err, MT_EINVAL,
				    "Invalid format for item %zu of \"%s\". "
				    "Expected an object but got %s.",
				    i + 1, source + 1, mapping_kind_of(item));
		if (take_synonyms(item, js_get(form, "also")))
			return out_of_memory(err);
		if (take_values(item, js_get(form, "values"), i + 1, source + 1, err))
			return err->code;
		whole = whole_item(item, defaults, i + 1);
		if (!whole || js_add(out, whole)) {
			json_object_put(whole);
			return out_of_memory(err);
		}
	}
	if (!out)
		return out_of_memory(err);
	*ret = STEAL(out);
	return MT_OK;
}

/* Convert a string to the type of its field. Returns a reference. */
static json_object *coerce(json_object *value, const struct event_field *field)
{
	const char *text;

	if (!field || field->type != FIELD_BOOL ||
	    !json_object_is_type(value, json_type_string))
		return json_object_get(value);
	text = json_object_get_string(value);
	return json_object_new_boolean(strcmp(text, "true") == 0);
}

/* The tool's own arguments, without those that are only for the host. */
static json_object *own_arguments(const struct tool *tool, json_object *args)
{
	AUTO(json) json_object *own = json_object_new_object();

	if (!own)
		return NULL;
	json_object_object_foreach(args, name, value) {
		if (strcmp(name, "security_risk") == 0 && !mapping_knows(tool, name))
			continue;
		if (js_set(own, name, json_object_get(value)))
			return NULL;
	}
	return STEAL(own);
}

/* An object whose members are forms. NULL: out of memory. */
static json_object *whole_object(json_object *form, json_object *args)
{
	AUTO(json) json_object *out = json_object_new_object();

	if (!out)
		return NULL;
	json_object_object_foreach(form, name, inner) {
		json_object *value = mapping_value(inner, args);

		if (value && js_set(out, name, json_object_get(value)))
			return NULL;
	}
	return STEAL(out);
}

static int fill(json_object *fields, const char *name, json_object *form,
		const struct tool *tool, json_object *args, const struct event_type *type,
		struct error *err)
{
	json_object *value;

	if (js_get(form, "$each")) {
		int r = each_item(form, args, &value, err);

		if (r || !value)
			return r;
	} else if (json_object_is_type(form, json_type_object)) {
		value = whole_object(form, args);
	} else {
		value = mapping_value(form, args);
		if (!value)
			return MT_OK;
		value = value == args ? own_arguments(tool, args)
				      : coerce(value, event_field_find(type, name));
	}
	if (!value || js_set(fields, name, value))
		return out_of_memory(err);
	return MT_OK;
}

/* Fill the fields for a tool without entries: its name and its arguments. */
static int fill_plain(json_object *fields, const struct tool *tool, json_object *args,
		      struct error *err)
{
	json_object *own = own_arguments(tool, args);

	if (!own || js_set(fields, "arguments", own) ||
	    js_set_str(fields, "name", tool->name))
		return out_of_memory(err);
	return MT_OK;
}

json_object *mapping_fields(const struct tool *tool, json_object *args,
			    const struct event_type *type, struct error *err)
{
	json_object *mapping = mapping_for(tool, args), *forms = js_get(mapping, "args");
	AUTO(json) json_object *fields = json_object_new_object();
	struct error why = ERROR_NONE;

	if (!fields)
		out_of_memory(&why);
	else if (!mapping)
		fill_plain(fields, tool, args, &why);
	if (forms && !why.code) {
		json_object_object_foreach(forms, name, form)
			if (fill(fields, name, form, tool, args, type, &why))
				break;
	}
	if (!why.code)
		return STEAL(fields);
	fail(err, why.code, "%s", why.text);
	return NULL;
}
