/* SPDX-License-Identifier: MIT
 *
 * params.c - generates the JSON Schema and the defaults of a parameter table. */
#include "params.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct {
	const char *name, *least, *most; /* in JSON Schema */
	json_type json;
} types[] = {
	[MT_PARAM_TEXT] = { "string", "minLength", "maxLength", json_type_string },
	[MT_PARAM_INTEGER] = { "integer", "minimum", "maximum", json_type_int },
	[MT_PARAM_NUMBER] = { "number", "minimum", "maximum", json_type_double },
	[MT_PARAM_BOOL] = { "boolean", NULL, NULL, json_type_boolean },
	[MT_PARAM_CHOICE] = { "string", NULL, NULL, json_type_string },
	[MT_PARAM_LIST] = { "array", "minItems", "maxItems", json_type_array },
};

static const struct mt_param *param_at(const struct mt_tool *t, size_t n)
{
	return (const void *)((const char *)t->params + n * t->params->size);
}

static bool params_is_text(const struct mt_param *p)
{
	return types[p->type].json == json_type_string;
}

static bool name_good(const char *name)
{
	size_t len = name ? strnlen(name, 65) : 0;

	if (len == 0 || len == 65)
		return false;
	for (size_t i = 0; i < len; i++) {
		char ch = name[i];

		if (!(ch >= 'a' && ch <= 'z') && !(ch >= 'A' && ch <= 'Z') && ch != '_' &&
		    (i == 0 || ch < '0' || ch > '9'))
			return false;
	}
	return true;
}

/* `*ret` is NULL if there is none, or it is not of the type. @return MT_OK or MT_ENOMEM. */
static int default_of(const struct mt_param *p, json_object **ret)
{
	struct error why = ERROR_NONE;

	*ret = NULL;
	if (!p->fallback)
		return MT_OK;
	if (params_is_text(p)) {
		*ret = json_object_new_string(p->fallback);
		return *ret ? MT_OK : MT_ENOMEM;
	}
	*ret = js_parse(p->fallback, strlen(p->fallback), &why);
	if (!json_object_is_type(*ret, types[p->type].json) &&
	    !(p->type == MT_PARAM_NUMBER && json_object_is_type(*ret, json_type_int))) {
		json_object_put(*ret);
		*ret = NULL;
	}
	return why.code == MT_ENOMEM ? MT_ENOMEM : MT_OK;
}

static int params_check_default(const struct mt_param *p, struct error *err)
{
	AUTO(json) json_object *value = NULL;

	if (default_of(p, &value))
		return out_of_memory(err);
	if (!p->fallback || value)
		return MT_OK;
	return fail(err, MT_EINVAL, "the default of parameter `%s` is not of its type",
		    p->name);
}

static int params_check(const struct mt_tool *t, size_t n, struct error *err)
{
	const struct mt_param *p = param_at(t, n);

	if (!name_good(p->name))
		return fail(err, MT_EINVAL,
			    "invalid name of parameter %zu: use a letter or _, then at "
			    "most 63 letters, digits and _",
			    n + 1);
	for (size_t i = 0; i < n; i++)
		if (strcmp(param_at(t, i)->name, p->name) == 0)
			return fail(err, MT_EINVAL, "two parameters are named `%s`",
				    p->name);
	if (p->type < MT_PARAM_TEXT || p->type > MT_PARAM_LIST ||
	    p->flags & ~(uint64_t)MT_REQUIRED)
		return fail(err, MT_EUNSUPPORTED,
			    "parameter `%s` has an unknown type or flag; update mortise",
			    p->name);
	if ((p->type == MT_PARAM_CHOICE) != (p->choices && *p->choices))
		return fail(err, MT_EINVAL, "parameter `%s` %s", p->name,
			    p->type == MT_PARAM_CHOICE
				    ? "has no choices"
				    : "has choices, but is not an MT_CHOICE");
	if (!isfinite(p->min) || !isfinite(p->max))
		return fail(err, MT_EINVAL,
			    "parameter `%s`: `min` and `max` must be finite", p->name);
	if (p->fallback && p->flags & MT_REQUIRED)
		return fail(err, MT_EINVAL,
			    "parameter `%s` is required and has a default", p->name);
	return params_check_default(p, err);
}

static void params_put_choices(const char *rest, struct strbuf *out)
{
	js_key(out, "enum");
	strbuf_addc(out, '[');
	for (const char *p = rest; *p;) {
		size_t len = strcspn(p, "|");

		if (p != rest)
			strbuf_addc(out, ',');
		js_put_str(out, p, len);
		p += len + (p[len] == '|');
	}
	strbuf_addc(out, ']');
}

static void put_param(const struct mt_param *p, struct strbuf *out)
{
	AUTO(json) json_object *value = NULL;

	if (default_of(p, &value) && !out->error)
		out->error = MT_ENOMEM;
	js_key(out, p->name);
	strbuf_addc(out, '{');
	js_key_str(out, "type", types[p->type].name);
	if (p->type == MT_PARAM_CHOICE)
		params_put_choices(p->choices, out);
	if (p->type == MT_PARAM_LIST)
		strbuf_add(out, ",\"items\":{\"type\":\"string\"}");
	if (types[p->type].least && (p->min || p->max)) {
		js_key_number(out, types[p->type].least, p->min);
		if (p->max >= p->min)
			js_key_number(out, types[p->type].most, p->max);
	}
	if (value) {
		js_key(out, "default");
		js_put(out, value);
	}
	if (p->help)
		js_key_str(out, "description", p->help);
	strbuf_addc(out, '}');
}

int params_check_sources(const struct mt_tool *t, struct error *err)
{
	const char *both = t->call && t->function ? "`call` and `function`"
			   : !t->param_count      ? NULL
			   : t->schema            ? "`params` and `schema`"
			   : t->function          ? "`params` and `function`"
						  : NULL;

	return both ? fail(err, MT_EINVAL, "tool `%s` has %s; remove one of them",
			   t->name, both)
		    : MT_OK;
}

int params_schema(const struct mt_tool *t, struct strbuf *out, struct error *err)
{
	const char *before = "},\"required\":[",
		   *after = "}"; /* without a required one */

	if (t->param_count > PARAMS_MAX ||
	    (t->param_count &&
	     (!t->params || t->params->size < MT_PARAM_SIZE_1_0 ||
	      t->params->size > 65536 || t->params->size % _Alignof(struct mt_param))))
		return fail(err, MT_EINVAL,
			    "the parameters have a wrong size, or are more than %d",
			    PARAMS_MAX);
	for (size_t n = 0; n < t->param_count; n++) {
		int status = params_check(t, n, err);

		if (status)
			return status;
	}
	strbuf_add(out, "{\"type\":\"object\",\"properties\":{");
	for (size_t n = 0; n < t->param_count; n++)
		put_param(param_at(t, n), out);
	for (size_t n = 0; n < t->param_count; n++) {
		const struct mt_param *p = param_at(t, n);

		if (!(p->flags & MT_REQUIRED))
			continue;
		strbuf_add(out, before);
		js_put_str(out, p->name, strlen(p->name));
		before = ",";
		after = "]";
	}
	strbuf_add(out, after);
	strbuf_add(out, ",\"additionalProperties\":false}");
	return out->error ? fail_code(err, out->error) : MT_OK;
}

int params_add_defaults(const struct mt_tool *t, json_object *args)
{
	for (size_t n = 0; n < t->param_count; n++) {
		const struct mt_param *p = param_at(t, n);
		json_object *value = NULL;

		if (!js_get(args, p->name) && default_of(p, &value))
			return MT_ENOMEM;
		if (value && js_set(args, p->name, value))
			return MT_ENOMEM;
	}
	return MT_OK;
}
