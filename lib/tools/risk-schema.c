/* SPDX-License-Identifier: MIT
 *
 * risk-schema.c - adds the argument `security_risk` to a schema. */
#include "tools/risk-schema.h"

#include "auto.h"
#include "js.h"

static json_object *risk_property(void)
{
	static const char *const levels[] = { "LOW", "MEDIUM", "HIGH" };
	AUTO(json) json_object *p = json_object_new_object();
	json_object *list = js_new_list();

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		js_add_new(list, json_object_new_string(levels[i]));
	if (js_set_str(p, "type", "string") || js_set(p, "enum", list))
		return NULL;
	return STEAL(p);
}

json_object *risk_schema(json_object *schema, bool may_read)
{
	AUTO(json) json_object *copy = NULL;
	json_object *properties, *required;

	if (schema && json_object_deep_copy(schema, &copy, NULL))
		return NULL;
	if (!copy)
		copy = json_object_new_object();
	if (!js_get(copy, "type") && js_set_str(copy, "type", "object"))
		return NULL;
	properties = js_get(copy, "properties");
	if (!properties && js_set_new(copy, "properties", json_object_new_object()))
		return NULL;
	properties = js_get(copy, "properties");
	required = js_get(copy, "required");
	if (!required && js_set_new(copy, "required", json_object_new_array()))
		return NULL;
	required = js_get(copy, "required");
	if (js_get(properties, "security_risk")) /* the tool declares its own */
		return STEAL(copy);
	if (js_set(properties, "security_risk", risk_property()) ||
	    (!may_read && js_add_new(required, json_object_new_string("security_risk"))))
		return NULL;
	return STEAL(copy);
}
