/* SPDX-License-Identifier: MIT
 *
 * coerce.c - converts the text of a parameter to a value, using the schema of its tool.
 *
 * Text that does not match stays a string: the check before the call rejects it with a
 * sentence for the model. */
#include "fncall/fncall.h"
#include "schema-ref.h"
#include "space.h"
#include "utf8.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum type {
	INTEGER = 1,
	NUMBER = 2,
	BOOLEAN = 4,
	ARRAY = 8,
	OBJECT = 16,
	NOTHING = 32,
	TEXT = 64,
};

static const struct {
	enum type type;
	const char *name, *words;
} types[] = {
	{ INTEGER, "integer", "an integer" },
	{ NUMBER, "number", "a number" },
	{ BOOLEAN, "boolean", "true or false" },
	{ ARRAY, "array", "a JSON array" },
	{ OBJECT, "object", "a JSON object" },
	{ NOTHING, "null", "null" },
	{ TEXT, "string", "a text" },
};

enum { DEEPEST = 8 };

void fncall_fail(struct fncall *call, enum fncall_fault fault, const char *fmt, ...)
{
	struct error err = ERROR_NONE;
	va_list ap;

	if (call->fault != FNCALL_OK)
		return;
	call->fault = fault;
	va_start(ap, fmt);
	fail_va(&err, MT_EINVAL, fmt, ap);
	va_end(ap);
	snprintf(call->why, sizeof call->why, "%.*s", (int)sizeof call->why - 1,
		 err.text);
}

/* ---- types ---------------------------------------------------------------- */

static unsigned type_named(json_object *name)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (json_object_is_type(name, json_type_string) &&
		    strcmp(types[i].name, json_object_get_string(name)) == 0)
			return types[i].type;
	return 0;
}

static unsigned types_of(json_object *root, json_object *schema, int depth);

static unsigned types_in(json_object *root, json_object *list, int depth)
{
	unsigned all = 0;

	if (!json_object_is_type(list, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		all |= types_of(root, json_object_array_get_idx(list, i), depth + 1);
	return all;
}

/* The types that a schema allows; 0: unspecified. */
static unsigned types_of(json_object *root, json_object *schema, int depth)
{
	json_object *type = js_get(schema, "type");
	const char *ref = js_str(schema, "$ref", NULL);
	unsigned all = 0;

	if (depth > DEEPEST)
		return 0;
	if (ref)
		return types_of(root, schema_ref(root, ref), depth + 1);
	if (!json_object_is_type(type, json_type_array))
		all = type_named(type);
	else
		for (size_t i = 0; i < json_object_array_length(type); i++)
			all |= type_named(json_object_array_get_idx(type, i));
	if (!all)
		all = types_in(root, js_get(schema, "anyOf"), depth) |
		      types_in(root, js_get(schema, "oneOf"), depth) |
		      types_in(root, js_get(schema, "allOf"), depth);
	return all;
}

/* ---- reading -------------------------------------------------------------- */

char *fncall_clean_utf8(const char *text, size_t len, size_t *ret_len)
{
	AUTO(strbuf) struct strbuf copy = STRBUF(len * 3 + 1);

	utf8_add_clean(&copy, text, len);
	*ret_len = copy.len;
	return copy.len ? strbuf_take(&copy) : copy.error ? NULL : strdup("");
}

static json_object *new_text(const char *text, size_t len)
{
	AUTO(free) char *clean = NULL;

	if (utf8_valid(text, len))
		return json_object_new_string_len(text, (int)len);
	clean = fncall_clean_utf8(text, len, &len);
	return clean ? json_object_new_string_len(clean, (int)len) : NULL;
}

/* Digits with a sign; _ between digits is ignored. */
static json_object *read_integer(const char *text, size_t len)
{
	char digits[32];
	size_t n = 0;
	long long value;

	for (size_t i = 0; i < len; i++) {
		bool sign = i == 0 && (text[i] == '-' || text[i] == '+');
		bool between = i > 0 && i + 1 < len &&
			       isdigit((unsigned char)text[i - 1]) &&
			       isdigit((unsigned char)text[i + 1]);

		if (text[i] == '_' && between)
			continue;
		if ((!sign && !isdigit((unsigned char)text[i])) || n + 1 >= sizeof digits)
			return NULL;
		digits[n++] = text[i];
	}
	digits[n] = '\0';
	if (!n || !isdigit((unsigned char)digits[n - 1]))
		return NULL;
	errno = 0;
	value = strtoll(digits, NULL, 10);
	return errno ? NULL : json_object_new_int64(value);
}

static json_object *parse_json_number(const char *text, size_t len)
{
	json_object *value = read_integer(text, len);
	char copy[64], *end;
	double number;

	if (value || !len || len >= sizeof copy)
		return value;
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]) && !strchr("+-.eE", text[i]))
			return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	number = strtod(copy, &end);
	return *end || !isfinite(number) ? NULL : js_new_number(number);
}

static json_object *read_boolean(const char *text, size_t len)
{
	if (len == 4 && strncasecmp(text, "true", len) == 0)
		return json_object_new_boolean(1);
	if (len == 5 && strncasecmp(text, "false", len) == 0)
		return json_object_new_boolean(0);
	return NULL;
}

static json_object *parse_json_value(const char *text, size_t len, json_type type)
{
	json_object *value = js_parse(text, len, NULL);

	if (json_object_is_type(value, type))
		return value;
	json_object_put(value);
	return NULL;
}

static bool coerce_is_null(const char *text, size_t len)
{
	return (len == 4 &&
		(memcmp(text, "null", 4) == 0 || memcmp(text, "None", 4) == 0));
}

/* Convert a text to one of the allowed types; NULL: none matches. A null sets
 * *ret_null. */
static json_object *coerce_value(unsigned allowed, const char *text, size_t len,
				 bool *ret_null)
{
	json_object *value = NULL;

	*ret_null = false;
	if (!allowed || allowed & TEXT)
		return new_text(text, len);
	space_trim(&text, &len);
	if (allowed & INTEGER)
		value = read_integer(text, len);
	if (!value && allowed & NUMBER)
		value = parse_json_number(text, len);
	if (!value && allowed & BOOLEAN)
		value = read_boolean(text, len);
	if (!value && allowed & ARRAY)
		value = parse_json_value(text, len, json_type_array);
	if (!value && allowed & OBJECT)
		value = parse_json_value(text, len, json_type_object);
	*ret_null = !value && allowed & NOTHING && coerce_is_null(text, len);
	return value;
}

/* ---- choices -------------------------------------------------------------- */

static json_object *enum_member(json_object *list, json_object *value)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);

		if (item && js_equal(item, value))
			return item;
	}
	return NULL;
}

/* Check that a value is one of the choices. A text that differs from a choice only in
 * surrounding white space is replaced by the choice. */
static void check_enum_value(struct fncall *call, json_object *list, const char *name,
			     json_object **value)
{
	AUTO(strbuf) struct strbuf choices = STRBUF(160);
	json_object *trimmed;

	if (!json_object_is_type(list, json_type_array) || enum_member(list, *value))
		return;
	if (json_object_is_type(*value, json_type_string)) {
		const char *text = json_object_get_string(*value);
		size_t len = (size_t)json_object_get_string_len(*value);

		space_trim(&text, &len);
		trimmed = json_object_new_string_len(text, (int)len);
		if (trimmed && enum_member(list, trimmed)) {
			json_object_put(*value);
			*value = trimmed;
			return;
		}
		json_object_put(trimmed);
	}
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);

		strbuf_addf(&choices, "%s%s", i ? ", " : "",
			    item ? json_object_get_string(item) : "null");
	}
	fncall_fail(call, FNCALL_NOT_IN_ENUM, "parameter '%.60s' must be one of: %s",
		    name, choices.text);
}

/* ---- one argument --------------------------------------------------------- */

static void say_wrong(struct fncall *call, const char *name, unsigned allowed)
{
	AUTO(strbuf) struct strbuf words = STRBUF(160);

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (allowed & types[i].type)
			strbuf_addf(&words, "%s%s", words.len ? " or " : "",
				    types[i].words);
	fncall_fail(call, FNCALL_WRONG_TYPE, "parameter '%.60s' must be %s", name,
		    words.text);
}

static void say_not_allowed(struct fncall *call, const char *name,
			    json_object *properties)
{
	AUTO(strbuf) struct strbuf names = STRBUF(160);

	json_object_object_foreach(properties, known, schema) {
		if (schema)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", known);
	}
	fncall_fail(call, FNCALL_UNKNOWN_PARAMETER,
		    "function '%.60s' has no parameter '%.60s'; its parameters are: %s",
		    call->name, name, names.text);
}

/* True for a parameter that the schema does not list, if the schema does not mention
 * other parameters. If it forbids or allows them, the check before the call decides. The
 * risk that the model states is for the host. */
static bool is_unexpected(json_object *schema, const char *name)
{
	return !json_object_object_get_ex(schema, "additionalProperties", NULL) &&
	       strcmp(name, "security_risk") != 0;
}

int fncall_set_arg(struct fncall *call, json_object *schema, const char *name,
		   size_t name_len, const char *value, size_t len)
{
	json_object *properties = js_get(schema, "properties"), *p, *read;
	AUTO(free) char *key = fncall_clean_utf8(name, name_len, &name_len);
	unsigned allowed;
	bool null = false, known;

	if (!key || len > INT32_MAX / 3)
		return key ? MT_ELIMIT : MT_ENOMEM;
	if (len >= 2 && value[0] == '\n' && value[len - 1] == '\n')
		value++, len -= 2;
	p = js_get(properties, key);
	known = json_object_is_type(properties, json_type_object) &&
		json_object_object_length(properties);
	if (known && !json_object_object_get_ex(properties, key, NULL)) {
		call->unexpected |=
			call->fault == FNCALL_OK && is_unexpected(schema, key);
		say_not_allowed(call, key, properties);
	}
	allowed = types_of(schema, p, 0);
	read = coerce_value(allowed, value, len, &null);
	if (!read && !null) {
		say_wrong(call, key, allowed);
		read = new_text(value, len);
	}
	if (!read && !null)
		return MT_ENOMEM;
	if (read)
		check_enum_value(call, js_get(p, "enum"), key, &read);
	return js_set(call->args, key, read);
}

void fncall_check_required(struct fncall *call, json_object *schema)
{
	AUTO(strbuf) struct strbuf names = STRBUF(160);
	json_object *required = js_get(schema, "required");

	if (!json_object_is_type(required, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(required); i++) {
		json_object *name = json_object_array_get_idx(required, i);
		const char *text = json_object_get_string(name);

		if (json_object_is_type(name, json_type_string) &&
		    strcmp(text, "security_risk") != 0 &&
		    !json_object_object_get_ex(call->args, text, NULL))
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", text);
	}
	if (names.len)
		fncall_fail(call, FNCALL_MISSING_PARAMETER,
			    "function '%.60s' lacks required parameters: %s", call->name,
			    names.text);
}
