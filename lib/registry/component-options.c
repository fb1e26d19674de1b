/* SPDX-License-Identifier: MIT
 *
 * component-options.c - the options and the data of a component.
 *
 * Both are parsed on first use: a run needs them for few components. */
#include "registry/registry.h"

#include "js.h"
#include "options.h"

/* The value, parsed if the cache stored its text. Owned. NULL: see `err`. */
static json_object *expanded(json_object *value, struct error *err)
{
	if (!json_object_is_type(value, json_type_string))
		return json_object_get(value);
	return js_parse(json_object_get_string(value),
			(size_t)json_object_get_string_len(value), err);
}

json_object *component_data(const struct component *c)
{
	struct component *known = (struct component *)c;

	if (!known->data)
		known->data = expanded(c->data_described, NULL);
	return known->data;
}

static int load_options(struct component *c, struct error *err)
{
	AUTO(json) json_object *table = NULL;

	if (c->options)
		return MT_OK;
	table = expanded(c->options_described, err);
	return table ? options_from_json(table, &c->options, &c->option_count, err)
		     : err->code;
}

int component_load(const struct component *c, struct error *err)
{
	struct component *known = (struct component *)c;
	struct error why = ERROR_NONE;

	if (!known->data)
		known->data = expanded(c->data_described, &why);
	if (!why.code)
		load_options(known, &why);
	if (why.code == MT_OK || why.code == MT_ENOMEM)
		return why.code ? out_of_memory(err) : MT_OK;
	return fail(err, why.code,
		    "the cached description of `%s` is damaged: %s; delete "
		    "mortise/plugins.json in the cache directory",
		    c->name, why.text);
}

const struct mt_option *component_options(const struct component *c, size_t *ret_count)
{
	struct error err = ERROR_NONE;
	int status = load_options((struct component *)c, &err);

	*ret_count = status ? 0 : c->option_count;
	return *ret_count ? c->options : NULL;
}

int component_section(const struct config *config, const char *section,
		      const struct component *c, json_object **ret, struct error *err)
{
	int status = component_load(c, err);

	if (status)
		return status;
	return config_section(config, section, c->options, c->option_count, ret, err);
}

const struct mt_option *component_find_option(const struct component *c, const char *name)
{
	size_t count;
	const struct mt_option *table = component_options(c, &count);

	return option_find(table, count, name);
}

const char *component_option(const struct component *c, json_object *set,
			     const char *name)
{
	const char *value = js_str(set, name, NULL);
	const struct mt_option *o;

	if (value)
		return value;
	o = component_find_option(c, name);
	return o ? o->fallback : NULL;
}

int64_t component_option_int(const struct component *c, json_object *set,
			     const char *name)
{
	const struct mt_option *o = component_find_option(c, name);
	const char *value = component_option(c, set, name);
	int64_t n = 0;

	if (o && value && o->type == MT_OPTION_BOOL)
		n = option_to_bool(value);
	else if (o && value)
		option_to_int(o, value, &n);
	return n;
}
