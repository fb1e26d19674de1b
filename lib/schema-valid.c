/* SPDX-License-Identifier: MIT
 *
 * schema-valid.c - checks whether a schema is supported. */
#include "pattern.h"
#include "hex.h"
#include "schema-ref.h"
#include "schema.h"
#include <ctype.h>
#include <string.h>

enum { MAX_STEP = 256, MAX_DEPTH = 2 * JS_DEPTH };

/* One step of a pointer, %XX and ~0 ~1 undone. @return where the next begins,
 * or NULL if the step is too long. */
static const char *next_step(const char *p, char *step)
{
	size_t n = 0;

	while (*p && *p != '/') {
		char c = *p++;

		if (c == '%' && hex_digit(p[0]) >= 0 && hex_digit(p[1]) >= 0) {
			c = (char)(hex_digit(p[0]) * 16 + hex_digit(p[1]));
			p += 2;
		}
		if (c == '~' && (*p == '0' || *p == '1'))
			c = *p++ == '0' ? '~' : '/';
		if (n + 1 >= MAX_STEP)
			return NULL;
		step[n++] = c;
	}
	step[n] = '\0';
	return p;
}

json_object *schema_ref(json_object *root, const char *ref)
{
	const char *p = ref;

	if (*p++ != '#')
		return NULL;
	while (p && *p == '/' && root) {
		char step[MAX_STEP];

		p = next_step(p + 1, step);
		if (!p)
			return NULL;
		if (json_object_is_type(root, json_type_array)) {
			size_t n = strspn(step, "0123456789");

			root = n > 0 && n < 8 && !step[n]
				       ? json_object_array_get_idx(root,
								   strtoul(step, NULL,
									   10))
				       : NULL;
		} else {
			root = js_get(root, step);
		}
	}
	return p && *p ? NULL : root;
}

static int valid(json_object *root, json_object *schema, int depth, struct error *err);

static bool is_type_name(json_object *type)
{
	static const char *const names[] = { "object",  "array",   "string", "number",
					     "integer", "boolean", "null" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (json_object_is_type(type, json_type_string) &&
		    strcmp(json_object_get_string(type), names[i]) == 0)
			return true;
	return false;
}

static int valid_type(json_object *type, struct error *err)
{
	bool list = json_object_is_type(type, json_type_array);
	size_t n = list ? json_object_array_length(type) : 1;

	for (size_t i = 0; i < n; i++)
		if (!is_type_name(list ? json_object_array_get_idx(type, i) : type))
			return fail(err, MT_EINVAL, "`type`: %.100s is not a JSON type",
				    js_shown(type));
	return MT_OK;
}

static int valid_members(json_object *root, json_object *schema, const char *keyword,
			 int depth, struct error *err)
{
	json_object *members = js_get(schema, keyword);
	int status = MT_OK;

	if (!members)
		return MT_OK;
	if (!json_object_is_type(members, json_type_object))
		return fail(err, MT_EINVAL, "`%s` must be an object", keyword);
	json_object_object_foreach(members, name, member) {
		(void)name;
		if (!status)
			status = valid(root, member, depth, err);
	}
	return status;
}

static int valid_list(json_object *root, json_object *schema, const char *keyword,
		      int depth, struct error *err)
{
	json_object *list = js_get(schema, keyword);
	int status = MT_OK;

	if (!list)
		return MT_OK;
	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) == 0)
		return fail(err, MT_EINVAL, "`%s` must be a list of schemas", keyword);
	for (size_t i = 0; i < json_object_array_length(list) && !status; i++)
		status = valid(root, json_object_array_get_idx(list, i), depth, err);
	return status;
}

static int valid_required(json_object *required, struct error *err)
{
	if (!required)
		return MT_OK;
	if (!json_object_is_type(required, json_type_array))
		return fail(err, MT_EINVAL, "`required` must be a list of names");
	for (size_t i = 0; i < json_object_array_length(required); i++)
		if (!json_object_is_type(json_object_array_get_idx(required, i),
					 json_type_string))
			return fail(err, MT_EINVAL, "`required` must be a list of names");
	return MT_OK;
}

static int valid_own(json_object *root, json_object *schema, struct error *err)
{
	json_object *type = js_get(schema, "type");
	json_object *pattern = js_get(schema, "pattern");
	const char *ref = js_str(schema, "$ref", NULL);

	if (type && valid_type(type, err))
		return MT_EINVAL;
	if (valid_required(js_get(schema, "required"), err))
		return MT_EINVAL;
	if (pattern && !json_object_is_type(pattern, json_type_string))
		return fail(err, MT_EINVAL, "`pattern` must be a string");
	if (pattern && pattern_check(pattern, err))
		return MT_EINVAL;
	if (ref && *ref == '#' && !schema_ref(root, ref))
		return fail(err, MT_EINVAL, "`$ref`: undefined reference %.200s", ref);
	return MT_OK;
}

static int valid(json_object *root, json_object *schema, int depth, struct error *err)
{
	static const char *const members[] = { "properties", "patternProperties", "$defs",
					       "definitions" };
	static const char *const lists[] = { "anyOf", "oneOf", "allOf" };
	static const char *const single[] = { "items", "additionalProperties" };
	int status;

	if (json_object_is_type(schema, json_type_boolean))
		return MT_OK;
	if (!json_object_is_type(schema, json_type_object))
		return fail(err, MT_EINVAL, "a schema must be an object");
	if (depth <= 0)
		return fail(err, MT_ELIMIT, "the schema is nested too deeply");
	status = valid_own(root, schema, err);
	for (size_t i = 0; i < ARRAY_LEN(members) && !status; i++)
		status = valid_members(root, schema, members[i], depth - 1, err);
	for (size_t i = 0; i < ARRAY_LEN(lists) && !status; i++)
		status = valid_list(root, schema, lists[i], depth - 1, err);
	for (size_t i = 0; i < ARRAY_LEN(single) && !status; i++) {
		json_object *inner = js_get(schema, single[i]);

		if (json_object_is_type(inner, json_type_array))
			status = valid_list(root, schema, single[i], depth - 1, err);
		else if (inner)
			status = valid(root, inner, depth - 1, err);
	}
	return status;
}

static bool allows_object(json_object *type)
{
	if (!json_object_is_type(type, json_type_array))
		return strcmp(json_object_get_string(type), "object") == 0;
	for (size_t i = 0; i < json_object_array_length(type); i++)
		if (allows_object(json_object_array_get_idx(type, i)))
			return true;
	return false;
}

int schema_valid_value(json_object *schema, struct error *err)
{
	return valid(schema, schema, MAX_DEPTH, err);
}

int schema_valid(json_object *schema, struct error *err)
{
	json_object *type = js_get(schema, "type");
	int status;

	if (!json_object_is_type(schema, json_type_object))
		return fail(err, MT_EINVAL, "a schema of arguments must be an object");
	status = schema_valid_value(schema, err);
	if (!status && type && !allows_object(type))
		return fail(err, MT_EINVAL,
			    "a schema of arguments must have the type object, not %.100s",
			    js_shown(type));
	return status;
}
