/* SPDX-License-Identifier: MIT
 *
 * component-options.c - the effective options of a component. */
#include "registry/registry.h"

#include "js.h"
#include "options.h"

const char *component_option(const struct component *c, json_object *set,
			     const char *name)
{
	const char *value = js_str(set, name, NULL);
	const struct mt_option *o;

	if (value)
		return value;
	o = option_find(c->options, c->option_count, name);
	return o ? o->fallback : NULL;
}

int64_t component_option_int(const struct component *c, json_object *set,
			     const char *name)
{
	const struct mt_option *o = option_find(c->options, c->option_count, name);
	const char *value = component_option(c, set, name);
	int64_t n = 0;

	if (o && value && o->type == MT_OPTION_BOOL)
		n = option_to_bool(value);
	else if (o && value)
		option_to_int(o, value, &n);
	return n;
}
