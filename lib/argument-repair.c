/* SPDX-License-Identifier: MIT
 *
 * argument-repair.c - repairs the arguments of tool calls. */
#include "argument-repair.h"

#include "schema-ref.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum {
	TEXT_MAX = 64 << 20,
	STEPS_MAX = 20000, /* maximum number of schema nodes to visit for one call */
};

/* ---- reading ----------------------------------------------------------- */

static int add_escape(struct strbuf *out, char c)
{
	static const char from[] = "\b\t\n\f\r", to[] = "btnfr";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		return strbuf_addf(out, "\\%c", to[at - from]);
	return strbuf_addf(out, "\\u%04x", (unsigned)c);
}

int repair_control_chars(const char *text, size_t len, struct strbuf *out)
{
	bool inside = false, escaped = false;
	size_t plain = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (inside && c < ' ') {
			strbuf_addn(out, text + plain, i - plain);
			add_escape(out, (char)c);
			plain = i + 1;
		} else if (c == '"' && !escaped) {
			inside = !inside;
		}
		escaped = inside && !escaped && c == '\\';
	}
	return strbuf_addn(out, text + plain, len - plain);
}

/* JSON, on a second attempt without raw control characters. */
static json_object *argument_repair_read_json(const char *text, size_t len,
					      struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *value = js_parse(text, len, err);
	AUTO(strbuf) struct strbuf clean = STRBUF(TEXT_MAX);

	if (value || err->code == MT_OK)
		return value;
	if (repair_control_chars(text, len, &clean)) {
		*err = ERROR_NONE;
		fail_code(err, clean.error);
		return NULL;
	}
	if (clean.len == len)
		return NULL;
	value = js_parse(clean.text, clean.len, &why);
	if (value || !why.code)
		*err = ERROR_NONE;
	return value;
}

json_object *repair_parse(const char *text, size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *args = argument_repair_read_json(text, len, &why);

	if (why.code) {
		fail(err, why.code, "%s", why.text);
		return NULL;
	}
	if (json_object_is_type(args, json_type_object))
		return args;
	json_object_put(args);
	args = json_object_new_object();
	if (!args)
		out_of_memory(err);
	return args;
}

/* ---- what a schema wants ----------------------------------------------- */

enum {
	WANT_STRING = 1, WANT_INTEGER = 2, WANT_NUMBER = 4, WANT_BOOLEAN = 8,
	WANT_ARRAY = 16, WANT_OBJECT = 32, WANT_NULL = 64,
};

struct repair {
	json_object *root;
	int steps;
	bool failed; /* out of memory */
};

static unsigned want_of(json_object *type)
{
	static const struct { const char *name; unsigned bit; } types[] = {
		{ "string", WANT_STRING }, { "integer", WANT_INTEGER },
		{ "number", WANT_NUMBER }, { "boolean", WANT_BOOLEAN },
		{ "array", WANT_ARRAY }, { "object", WANT_OBJECT }, { "null", WANT_NULL },
	};

	if (json_object_is_type(type, json_type_string))
		for (size_t i = 0; i < ARRAY_LEN(types); i++)
			if (strcmp(types[i].name, json_object_get_string(type)) == 0)
				return types[i].bit;
	return 0;
}

/* The target of a schema's reference, or the schema itself. */
static json_object *target(struct repair *m, json_object *schema)
{
	const char *ref;

	while (m->steps-- > 0 && (ref = js_str(schema, "$ref", NULL)))
		schema = schema_ref(m->root, ref);
	return schema;
}

/* The types that a schema allows; 0: unspecified. */
static unsigned argument_repair_wanted(struct repair *m, json_object *schema)
{
	static const char *const choices[] = { "anyOf", "oneOf" };
	json_object *type;
	unsigned all;

	schema = target(m, schema);
	if (m->steps-- <= 0)
		return 0;
	type = js_get(schema, "type");
	all = want_of(type);
	for (size_t i = 0; i < js_length(type); i++)
		all |= want_of(json_object_array_get_idx(type, i));
	for (size_t k = 0; k < ARRAY_LEN(choices); k++) {
		json_object *list = js_get(schema, choices[k]);

		for (size_t i = 0; i < js_length(list) && m->steps > 0; i++)
			all |= argument_repair_wanted(m,
						      json_object_array_get_idx(list, i));
	}
	return all;
}

/* The schema, or one of its choices, that describes a list or an object. */
static json_object *describing(struct repair *m, json_object *schema, const char *keyword,
			       unsigned type)
{
	static const char *const choices[] = { "anyOf", "oneOf" };

	schema = target(m, schema);
	if (js_get(schema, keyword))
		return schema;
	for (size_t k = 0; k < ARRAY_LEN(choices); k++) {
		json_object *list = js_get(schema, choices[k]);

		for (size_t i = 0; i < js_length(list) && m->steps > 0; i++) {
			json_object *one = target(m, json_object_array_get_idx(list, i));

			if (js_get(one, keyword) &&
			    (argument_repair_wanted(m, one) & type))
				return one;
		}
	}
	return NULL;
}

/* ---- one value --------------------------------------------------------- */

static bool is_container(json_object *value)
{
	return json_object_is_type(value, json_type_array) ||
	       json_object_is_type(value, json_type_object);
}

/* Parse a list or an object from JSON text; trailing garbage is ignored. */
static json_object *argument_repair_decode(struct repair *m, const char *text, size_t len)
{
	static const char ends[] = "}]";
	struct error err = ERROR_NONE;
	json_object *value = argument_repair_read_json(text, len, &err);

	for (int i = 0; i < 2 && !is_container(value); i++) {
		const char *end = memrchr(text, ends[i], len);

		json_object_put(value);
		value = NULL;
		m->failed |= err.code == MT_ENOMEM;
		err = ERROR_NONE;
		if (end)
			value = argument_repair_read_json(text, (size_t)(end - text) + 1,
							  &err);
	}
	m->failed |= err.code == MT_ENOMEM;
	if (is_container(value))
		return value;
	json_object_put(value);
	return NULL;
}

/* A value that was just made, which is never null. */
static json_object *made(struct repair *m, json_object *value)
{
	m->failed |= !value;
	return value;
}

static json_object *argument_repair_whole(struct repair *m, double d)
{
	if (!isfinite(d) || d != floor(d) || fabs(d) > 9e15)
		return NULL;
	return made(m, json_object_new_int64((int64_t)d));
}

/* A number or a boolean as text. */
static json_object *read_scalar(struct repair *m, const char *text, size_t len,
				unsigned want)
{
	struct error err = ERROR_NONE;
	json_object *value;

	if (want & WANT_BOOLEAN) {
		if (strcasecmp(text, "true") == 0)
			return made(m, json_object_new_boolean(true));
		if (strcasecmp(text, "false") == 0)
			return made(m, json_object_new_boolean(false));
	}
	if (!(want & (WANT_INTEGER | WANT_NUMBER)))
		return NULL;
	value = js_parse(text, len, &err);
	m->failed |= err.code == MT_ENOMEM;
	if (json_object_is_type(value, json_type_int))
		return value;
	if (json_object_is_type(value, json_type_double)) {
		json_object *n;

		if (want & WANT_NUMBER)
			return value;
		n = argument_repair_whole(m, json_object_get_double(value));
		json_object_put(value);
		return n;
	}
	json_object_put(value);
	return NULL;
}

/* Join a text that was given in pieces. */
static json_object *argument_repair_join(struct repair *m, json_object *list)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *piece = json_object_array_get_idx(list, i);

		if (!json_object_is_type(piece, json_type_string))
			return NULL;
		strbuf_addn(&text, json_object_get_string(piece),
			    (size_t)json_object_get_string_len(piece));
	}
	m->failed |= text.error != 0;
	return text.error || text.len > INT32_MAX
		       ? NULL
		       : made(m, json_object_new_string_len(text.text, (int)text.len));
}

static json_object *repair_value(struct repair *m, json_object *schema,
				 json_object *value);

static void repair_items(struct repair *m, json_object *schema, json_object *list)
{
	json_object *items = js_get(describing(m, schema, "items", WANT_ARRAY), "items");

	for (size_t i = 0; items && i < json_object_array_length(list); i++) {
		json_object *one =
			repair_value(m, items, json_object_array_get_idx(list, i));

		if (one && json_object_array_put_idx(list, i, one)) {
			json_object_put(one);
			m->failed = true;
		}
	}
}

static void repair_members(struct repair *m, json_object *schema, json_object *object)
{
	json_object *properties =
		js_get(describing(m, schema, "properties", WANT_OBJECT), "properties");

	if (!json_object_is_type(properties, json_type_object))
		return;
	json_object_object_foreach(properties, name, property) {
		json_object *one = repair_value(m, property, js_get(object, name));

		if (one && js_set(object, name, one))
			m->failed = true;
	}
}

/* Replace a value whose type does not match the schema; values in a list or an object
 * are repaired in place.
 * @return a new reference, or NULL: the value stays. */
static json_object *repair_value(struct repair *m, json_object *schema,
				 json_object *value)
{
	unsigned want = value ? argument_repair_wanted(m, schema) : 0;
	json_object *other = NULL;

	if (json_object_is_type(value, json_type_string) && !(want & WANT_STRING)) {
		const char *text = json_object_get_string(value);
		size_t len = (size_t)json_object_get_string_len(value);

		if (want & (WANT_ARRAY | WANT_OBJECT))
			other = argument_repair_decode(m, text, len);
		if (!other)
			other = read_scalar(m, text, len, want);
	} else if (json_object_is_type(value, json_type_array) && (want & WANT_STRING) &&
		   !(want & (WANT_ARRAY | WANT_OBJECT))) {
		other = argument_repair_join(m, value);
	} else if (json_object_is_type(value, json_type_double) &&
		   (want & WANT_INTEGER) && !(want & WANT_NUMBER)) {
		other = argument_repair_whole(m, json_object_get_double(value));
	}
	if (other)
		value = other;
	if (json_object_is_type(value, json_type_array))
		repair_items(m, schema, value);
	else if (json_object_is_type(value, json_type_object))
		repair_members(m, schema, value);
	return other;
}

/* ---- all arguments ----------------------------------------------------- */

/* A name that is left-over markup, not an argument. */
static bool is_residue(const char *name)
{
	return !*name || strpbrk(name, " \t\r\n\v\f") || strcasestr(name, "<parameter") ||
	       strcasestr(name, "</parameter") || strcasestr(name, "<function") ||
	       strcasestr(name, "</function");
}

static int rename_risk(json_object *args)
{
	static const char *const typos[] = { "security_rort", "securtiy_risk",
					     "security_riks" };

	for (size_t i = 0; i < ARRAY_LEN(typos); i++) {
		json_object *value = js_get(args, typos[i]);

		if (!value)
			continue;
		if (!js_get(args, "security_risk") &&
		    js_set(args, "security_risk", json_object_get(value)))
			return MT_ENOMEM;
		json_object_object_del(args, typos[i]);
	}
	return MT_OK;
}

int repair_arguments(json_object *schema, json_object *args)
{
	struct repair m = { .root = schema, .steps = STEPS_MAX };
	json_object *properties = js_get(target(&m, schema), "properties");

	if (rename_risk(args))
		return MT_ENOMEM;
	json_object_object_foreach(args, name, value) {
		json_object *property = js_get(properties, name);

		if (value ? !property && is_residue(name)
			  : !(argument_repair_wanted(&m, property) & WANT_NULL))
			json_object_object_del(args, name);
	}
	repair_members(&m, schema, args);
	return m.failed ? MT_ENOMEM : MT_OK;
}
