/* SPDX-License-Identifier: MIT
 *
 * describe-tools.c - describes tools as text: each parameter with its type, nested
 * ones indented. */
#include "events/event.h"
#include "fncall/fncall.h"
#include "literal.h"
#include <string.h>

enum { DEEPEST = 12 };

static void indent(struct strbuf *out, int n)
{
	strbuf_addf(out, "%*s", n, "");
}

static void put_type(struct strbuf *out, json_object *schema, int depth);

static void describe_tools_put_options(struct strbuf *out, json_object *options,
				       int depth)
{
	for (size_t i = 0; i < json_object_array_length(options); i++) {
		if (i)
			strbuf_add(out, " or ");
		put_type(out, json_object_array_get_idx(options, i), depth + 1);
	}
}

/* The list in a schema's member; NULL: missing or empty. */
static json_object *nonempty_list(json_object *schema, const char *name)
{
	json_object *list = js_get(schema, name);

	return json_object_is_type(list, json_type_array) &&
			       json_object_array_length(list)
		       ? list
		       : NULL;
}

static json_object *object_of(json_object *schema, const char *name)
{
	json_object *o = js_get(schema, name);

	return json_object_is_type(o, json_type_object) ? o : NULL;
}

static const char *item_text(json_object *list, size_t n)
{
	json_object *item = json_object_array_get_idx(list, n);

	return item ? json_object_get_string(item) : "null";
}

/* "string", "array[integer]", "string or null". */
static void put_type(struct strbuf *out, json_object *schema, int depth)
{
	json_object *types = nonempty_list(schema, "type"), *items;
	json_object *options = nonempty_list(schema, "anyOf");
	const char *type = js_str(schema, "type", NULL);

	if (!options)
		options = nonempty_list(schema, "oneOf");
	if (types) {
		for (size_t i = 0; i < json_object_array_length(types); i++)
			strbuf_addf(out, "%s%s", i ? " or " : "", item_text(types, i));
	} else if (!type && options && depth < DEEPEST) {
		describe_tools_put_options(out, options, depth);
	} else {
		strbuf_add(out, type ? type : "string");
	}
	items = type && strcmp(type, "array") == 0 ? object_of(schema, "items") : NULL;
	if (items && depth < DEEPEST) {
		strbuf_addc(out, '[');
		put_type(out, items, depth + 1);
		strbuf_addc(out, ']');
	}
}

static const char *words_on(json_object *schema)
{
	return js_str(schema, "description", "No description provided");
}

static bool is_required(json_object *schema, const char *name)
{
	json_object *names = nonempty_list(schema, "required");

	for (size_t i = 0; names && i < json_object_array_length(names); i++) {
		json_object *n = json_object_array_get_idx(names, i);

		if (json_object_is_type(n, json_type_string) &&
		    strcmp(json_object_get_string(n), name) == 0)
			return true;
	}
	return false;
}

/* "NAME (TYPE, required): WORDS" and a newline. */
static void put_parameter(struct strbuf *out, json_object *owner, const char *name,
			  json_object *schema)
{
	strbuf_addf(out, "%s (", name);
	put_type(out, schema, 0);
	strbuf_addf(out, ", %s): %s\n",
		    is_required(owner, name) ? "required" : "optional", words_on(schema));
}

static void put_inside(struct strbuf *out, json_object *schema, int at, int depth);

static void describe_tools_put_properties(struct strbuf *out, json_object *schema, int at,
					  int depth)
{
	json_object *properties = object_of(schema, "properties");

	if (!properties || !json_object_object_length(properties))
		return;
	indent(out, at);
	strbuf_add(out, "Object properties:\n");
	json_object_object_foreach(properties, name, p) {
		indent(out, at + 2);
		strbuf_add(out, "- ");
		put_parameter(out, schema, name, p);
		put_inside(out, p, at + 4, depth + 1);
	}
}

static void describe_tools_put_choices(struct strbuf *out, json_object *schema,
				       const char *name, int at, int depth)
{
	json_object *options = nonempty_list(schema, name);

	if (!options)
		return;
	indent(out, at);
	strbuf_addf(out, "%s options:\n", name);
	for (size_t i = 0; i < json_object_array_length(options); i++) {
		json_object *option = json_object_array_get_idx(options, i);

		indent(out, at + 2);
		strbuf_add(out, "- ");
		put_type(out, option, 0);
		strbuf_addf(out, ": %s\n", words_on(option));
		put_inside(out, option, at + 4, depth + 1);
	}
}

/* The contents of a schema other than its type. */
static void put_inside(struct strbuf *out, json_object *schema, int at, int depth)
{
	json_object *types = nonempty_list(schema, "type"), *items, *more;

	if (depth > DEEPEST)
		return;
	if (types) {
		indent(out, at);
		strbuf_add(out, "Allowed types: ");
		for (size_t i = 0; i < json_object_array_length(types); i++)
			strbuf_addf(out, "%s%s", i ? ", " : "", item_text(types, i));
		strbuf_addc(out, '\n');
	}
	items = object_of(schema, "items");
	if (items) {
		indent(out, at);
		strbuf_add(out, "Array items:\n");
		indent(out, at + 2);
		strbuf_add(out, "Type: ");
		put_type(out, items, 0);
		strbuf_addc(out, '\n');
		put_inside(out, items, at + 4, depth + 1);
	}
	describe_tools_put_properties(out, schema, at, depth);
	more = object_of(schema, "additionalProperties");
	if (more) {
		indent(out, at);
		strbuf_add(out, "Additional properties allowed: ");
		put_type(out, more, 0);
		strbuf_addc(out, '\n');
	}
	describe_tools_put_choices(out, schema, "anyOf", at, depth);
	describe_tools_put_choices(out, schema, "oneOf", at, depth);
}

static void put_enum_values(struct strbuf *out, json_object *schema)
{
	json_object *values = nonempty_list(schema, "enum");

	if (!values)
		return;
	strbuf_add(out, "Allowed values: [");
	for (size_t i = 0; i < json_object_array_length(values); i++) {
		json_object *v = json_object_array_get_idx(values, i);

		strbuf_add(out, i ? ", `" : "`");
		if (json_object_is_type(v, json_type_string))
			strbuf_add(out, json_object_get_string(v));
		else
			literal_put(out, v);
		strbuf_addc(out, '`');
	}
	strbuf_add(out, "]\n");
}

static int put_tool_description(const struct llm_tool *t, size_t number,
				struct strbuf *out)
{
	AUTO(json) json_object *schema = NULL;
	size_t n = 0;

	if (t->schema && *t->schema)
		schema = js_parse_object(t->schema, strlen(t->schema), NULL);
	strbuf_addf(out, "---- BEGIN FUNCTION #%zu: %s ----\n", number, t->name);
	if (t->description && *t->description)
		strbuf_addf(out, "Description: %s\n", t->description);
	if (schema) {
		json_object *properties = object_of(schema, "properties");

		strbuf_add(out, "Parameters:\n");
		if (properties) {
			json_object_object_foreach(properties, name, p) {
				strbuf_addf(out, "  (%zu) ", ++n);
				put_parameter(out, schema, name, p);
				put_enum_values(out, p);
				put_inside(out, p, 6, 0);
			}
		}
	} else {
		strbuf_add(out, "No parameters are required for this function.\n");
	}
	return strbuf_addf(out, "---- END FUNCTION #%zu ----\n", number);
}

int fncall_describe_tools(const struct llm_tool *tools, size_t count, struct strbuf *out)
{
	for (size_t i = 0; i < count && !out->error; i++) {
		if (i)
			strbuf_addc(out, '\n');
		put_tool_description(&tools[i], i + 1, out);
	}
	return out->error;
}
