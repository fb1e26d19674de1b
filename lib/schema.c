/* SPDX-License-Identifier: MIT
 *
 * schema.c - checks a value against a JSON Schema.
 *
 * Schemas come from third parties (MCP servers, plugins). The work is counted and limited,
 * so that no schema can block the process with its references and patterns. */
#include "schema.h"
#include "pattern.h"
#include "schema-ref.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

enum {
	MAX_DEPTH = 256,
	MAX_STEPS = 1000000,
	PATTERN_STEPS = 100, /* cost of a match */
};

/* The position in the value: the steps from its root, innermost first. */
struct place {
	const struct place *parent;
	const char *name; /* NULL: an item of a list */
	size_t index;
};

struct check {
	json_object *root;
	struct pattern_cache patterns;
	long steps;
	int depth;
};

static void schema_put_place(struct strbuf *out, const struct place *at)
{
	if (!at)
		return;
	schema_put_place(out, at->parent);
	strbuf_addc(out, '/');
	if (!at->name)
		strbuf_addf(out, "%zu", at->index);
	for (const char *p = at->name; p && *p; p++)
		if (*p == '~' || *p == '/')
			strbuf_add(out, *p == '~' ? "~0" : "~1");
		else
			strbuf_addc(out, *p);
}

MT_PRINTF(3, 4)
static int mismatch(struct error *err, const struct place *at, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);
	va_list ap;

	if (at) {
		schema_put_place(&text, at);
		strbuf_add(&text, ": ");
	}
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	return fail(err, MT_EINVAL, "%s", text.len ? text.text : "does not match");
}

static bool schema_is_number(json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static bool is_whole(json_object *value)
{
	double d;

	if (json_object_is_type(value, json_type_int))
		return true;
	if (!json_object_is_type(value, json_type_double))
		return false;
	d = json_object_get_double(value);
	return isfinite(d) && d == floor(d);
}

static bool schema_is_type(json_object *value, const char *type)
{
	enum json_type is = json_object_get_type(value);

	if (strcmp(type, "integer") == 0)
		return is_whole(value);
	if (strcmp(type, "number") == 0)
		return schema_is_number(value);
	/* json_type_to_name says "int" and "double" for numbers. */
	return strcmp(type, json_type_to_name(is)) == 0;
}

static const char *article(const char *type)
{
	if (strcmp(type, "null") == 0)
		return "";
	return strchr("aio", type[0]) ? "an " : "a ";
}

static int check_type(json_object *type, json_object *value, const struct place *at,
		      struct error *err)
{
	AUTO(strbuf) struct strbuf wanted = STRBUF(512);
	size_t n = json_object_is_type(type, json_type_array)
			   ? json_object_array_length(type)
			   : 1;

	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_is_type(type, json_type_array)
					   ? json_object_array_get_idx(type, i)
					   : type;
		const char *name = json_object_is_type(one, json_type_string)
					   ? json_object_get_string(one)
					   : NULL;

		if (!name || schema_is_type(value, name))
			return MT_OK;
		strbuf_addf(&wanted, "%s%s%s", i ? " or " : "", article(name), name);
	}
	return mismatch(err, at, "must be %s", wanted.text);
}

static int check_enum(json_object *list, json_object *value, const struct place *at,
		      struct error *err)
{
	AUTO(strbuf) struct strbuf wanted = STRBUF(400);
	size_t n;

	if (!json_object_is_type(list, json_type_array))
		return MT_OK;
	n = json_object_array_length(list);
	for (size_t i = 0; i < n; i++)
		if (js_equal(json_object_array_get_idx(list, i), value))
			return MT_OK;
	for (size_t i = 0; i < n && !wanted.error; i++) {
		strbuf_addf(&wanted, "%s%s", i ? ", " : "",
			    js_shown(json_object_array_get_idx(list, i)));
	}
	return mismatch(err, at, "must be one of %s%s", wanted.text,
			wanted.error ? ", ..." : "");
}

static int schema_compare(json_object *a, json_object *b)
{
	bool ints = json_object_is_type(a, json_type_int) &&
		    json_object_is_type(b, json_type_int);

	if (ints) {
		int64_t na = json_object_get_int64(a), nb = json_object_get_int64(b);
		uint64_t ua = json_object_get_uint64(a), ub = json_object_get_uint64(b);

		return na != nb ? (na > nb) - (na < nb) : (ua > ub) - (ua < ub);
	}

	double da = json_object_get_double(a), db = json_object_get_double(b);

	return (da > db) - (da < db);
}

static int check_number(json_object *schema, json_object *value, const struct place *at,
			struct error *err)
{
	static const struct {
		const char *keyword, *words;
		int sign, allowed; /* of schema_compare(value, limit) */
	} limits[] = {
		{ "minimum", "at least", 1, 0 },
		{ "maximum", "at most", -1, 0 },
		{ "exclusiveMinimum", "more than", 1, 1 },
		{ "exclusiveMaximum", "less than", -1, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		json_object *limit = js_get(schema, limits[i].keyword);

		if (schema_is_number(limit) &&
		    schema_compare(value, limit) * limits[i].sign < limits[i].allowed)
			return mismatch(err, at, "must be %s %s", limits[i].words,
					js_shown(limit));
	}
	return MT_OK;
}

static int check_size(json_object *schema, const char *least, const char *most,
		      size_t size, const char *of, const struct place *at,
		      struct error *err)
{
	double min = js_number(schema, least, 0);
	double max = js_number(schema, most, HUGE_VAL);

	if ((double)size < min)
		return mismatch(err, at, "must have at least %.0f %s, has %zu", min, of,
				size);
	if ((double)size > max)
		return mismatch(err, at, "must have at most %.0f %s, has %zu", max, of,
				size);
	return MT_OK;
}

static int check_string(struct check *c, json_object *schema, json_object *value,
			const struct place *at, struct error *err)
{
	const char *text = json_object_get_string(value);
	size_t len = (size_t)json_object_get_string_len(value);
	json_object *pattern = js_get(schema, "pattern");
	int status = check_size(schema, "minLength", "maxLength", utf8_count(text, len),
				"characters", at, err);

	if (status || !json_object_is_type(pattern, json_type_string))
		return status;
	c->steps += PATTERN_STEPS;
	switch (pattern_matches(&c->patterns, pattern, text, len)) {
	case MT_OK:
	case MT_EUNSUPPORTED: /* it has no supported keyword */
		return MT_OK;
	case MT_ELIMIT:
		c->steps += MAX_STEPS / 8;
		return mismatch(err, at, "the pattern %.200s takes too long to match",
				json_object_get_string(pattern));
	case MT_ENOMEM:
		return out_of_memory(err);
	}
	return mismatch(err, at, "must match the pattern %.200s",
			json_object_get_string(pattern));
}

static int check_value(struct check *c, json_object *schema, json_object *value,
		       const struct place *at, struct error *err);

static int check_array(struct check *c, json_object *schema, json_object *value,
		       const struct place *at, struct error *err)
{
	size_t n = json_object_array_length(value);
	json_object *items = js_get(schema, "items");
	bool each = json_object_is_type(items, json_type_array);
	int status = check_size(schema, "minItems", "maxItems", n, "items", at, err);

	for (size_t i = 0; i < n && items && !status; i++) {
		struct place inner = { at, NULL, i };

		if (each && i >= json_object_array_length(items))
			break;
		status =
			check_value(c, each ? json_object_array_get_idx(items, i) : items,
				    json_object_array_get_idx(value, i), &inner, err);
	}
	return status;
}

static int schema_check_required(json_object *schema, json_object *value,
				 const struct place *at, struct error *err)
{
	AUTO(strbuf) struct strbuf missing = STRBUF(400);
	json_object *required = js_get(schema, "required");
	size_t n = js_length(required);
	unsigned count = 0;

	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(required, i);
		const char *name = json_object_get_string(one);

		if (!json_object_is_type(one, json_type_string) ||
		    json_object_object_get_ex(value, name, NULL))
			continue;
		strbuf_addf(&missing, "%s\"%s\"", count++ ? ", " : "", name);
	}
	if (count == 0)
		return MT_OK;
	return mismatch(err, at, "missing required member%s %s%s", count > 1 ? "s" : "",
			missing.text, missing.error ? ", ..." : "");
}

/* Check a member against every patternProperties that its name matches. */
static int check_by_pattern(struct check *c, json_object *patterns, const char *name,
			    json_object *member, const struct place *at, bool *ret_known,
			    struct error *err)
{
	int status = MT_OK;

	if (!json_object_is_type(patterns, json_type_object))
		return MT_OK;
	json_object_object_foreach(patterns, pattern, schema) {
		AUTO(json) json_object *text = json_object_new_string(pattern);

		if (!text)
			return out_of_memory(err);
		c->steps += PATTERN_STEPS;

		int found = status ? MT_EINVAL
				   : pattern_matches_once(text, name, strlen(name));

		if (found == MT_OK)
			status = check_value(c, schema, member, at, err);
		if (found == MT_OK || found == MT_EUNSUPPORTED)
			*ret_known = true;
	}
	return status;
}

static void put_members(json_object *properties, struct strbuf *out)
{
	if (!json_object_is_type(properties, json_type_object))
		return;
	json_object_object_foreach(properties, name, property) {
		(void)property;
		strbuf_addf(out, "%s%.100s", out->len ? ", " : "", name);
	}
}

static int check_member(struct check *c, json_object *schema, const char *name,
			json_object *member, const struct place *at, struct error *err)
{
	json_object *own, *others;
	AUTO(strbuf) struct strbuf allowed = STRBUF(2048);
	bool known = false;
	int status = MT_OK;

	if (json_object_object_get_ex(js_get(schema, "properties"), name, &own)) {
		known = true;
		status = check_value(c, own, member, at, err);
	}
	if (!status)
		status = check_by_pattern(c, js_get(schema, "patternProperties"), name,
					  member, at, &known, err);
	others = js_get(schema, "additionalProperties");
	if (status || known || !others)
		return status;
	if (json_object_is_type(others, json_type_boolean) &&
	    !json_object_get_boolean(others)) {
		put_members(js_get(schema, "properties"), &allowed);
		return mismatch(err, at->parent, "unknown member \"%.100s\"%s%s", name,
				allowed.len ? "; allowed: " : "",
				allowed.len ? allowed.text : "");
	}
	return check_value(c, others, member, at, err);
}

static int schema_check_object(struct check *c, json_object *schema, json_object *value,
			       const struct place *at, struct error *err)
{
	int status = schema_check_required(schema, value, at, err);

	json_object_object_foreach(value, name, member) {
		struct place inner = { at, name, 0 };

		if (!status)
			status = check_member(c, schema, name, member, &inner, err);
	}
	return status;
}

/* anyOf, oneOf: count the forms that fit; the first misfit explains. */
static int check_forms(struct check *c, json_object *schema, json_object *value,
		       const struct place *at, struct error *err)
{
	static const char *const keywords[] = { "anyOf", "oneOf" };

	for (size_t k = 0; k < ARRAY_LEN(keywords); k++) {
		json_object *forms = js_get(schema, keywords[k]);
		struct error first = ERROR_NONE;
		size_t fit = 0, n;

		if (!json_object_is_type(forms, json_type_array))
			continue;
		n = json_object_array_length(forms);
		for (size_t i = 0; i < n && !(k == 0 && fit); i++) {
			struct error why = ERROR_NONE;
			int status = check_value(c, json_object_array_get_idx(forms, i),
						 value, at, &why);

			if (status && status != MT_EINVAL)
				return fail(err, status, "%s", why.text);
			fit += status == MT_OK;
			if (status)
				fail(&first, status, "%s", why.text);
		}
		if (fit == 0)
			return mismatch(err, at,
					"matches none of the %zu allowed forms (%s)", n,
					first.text);
		if (k == 1 && fit > 1)
			return mismatch(
				err, at,
				"matches %zu of the %zu forms, but must match exactly one",
				fit, n);
	}
	return MT_OK;
}

static int schema_check_all(struct check *c, json_object *schema, json_object *value,
			    const struct place *at, struct error *err)
{
	json_object *all = js_get(schema, "allOf");
	json_object *ref = js_get(schema, "$ref");
	size_t n = js_length(all);
	int status = MT_OK;

	if (json_object_is_type(ref, json_type_string)) {
		json_object *target = schema_ref(c->root, json_object_get_string(ref));

		if (target)
			status = check_value(c, target, value, at, err);
	}
	for (size_t i = 0; i < n && !status; i++)
		status =
			check_value(c, json_object_array_get_idx(all, i), value, at, err);
	return status;
}

static int check_keywords(struct check *c, json_object *schema, json_object *value,
			  const struct place *at, struct error *err)
{
	json_object *type = js_get(schema, "type"), *only;
	int status = type ? check_type(type, value, at, err) : MT_OK;

	if (!status)
		status = check_enum(js_get(schema, "enum"), value, at, err);
	if (!status && json_object_object_get_ex(schema, "const", &only) &&
	    !js_equal(only, value))
		status = mismatch(err, at, "must be %.200s", js_shown(only));
	if (!status && schema_is_number(value))
		status = check_number(schema, value, at, err);
	else if (!status && json_object_is_type(value, json_type_string))
		status = check_string(c, schema, value, at, err);
	else if (!status && json_object_is_type(value, json_type_array))
		status = check_array(c, schema, value, at, err);
	else if (!status && json_object_is_type(value, json_type_object))
		status = schema_check_object(c, schema, value, at, err);
	if (!status)
		status = schema_check_all(c, schema, value, at, err);
	return status ? status : check_forms(c, schema, value, at, err);
}

static int check_value(struct check *c, json_object *schema, json_object *value,
		       const struct place *at, struct error *err)
{
	int status = MT_OK;

	if (++c->steps > MAX_STEPS || c->depth >= MAX_DEPTH)
		return fail(err, MT_ELIMIT,
			    "the schema is nested too deeply or too expensive to check");
	c->depth++;
	if (json_object_is_type(schema, json_type_object))
		status = check_keywords(c, schema, value, at, err);
	else if (json_object_is_type(schema, json_type_boolean) &&
		 !json_object_get_boolean(schema))
		status = mismatch(err, at, "is not allowed here");
	c->depth--;
	return status;
}

int schema_check(json_object *schema, json_object *value, struct error *err)
{
	struct check c = { .root = schema };
	int status = check_value(&c, schema, value, NULL, err);

	pattern_cache_clear(&c.patterns);
	return status;
}
