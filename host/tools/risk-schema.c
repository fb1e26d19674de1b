/* SPDX-License-Identifier: MIT
 *
 * risk-schema.c - describes the argument `security_risk` to the model. */
#include "tools/risk-schema.h"

#include "auto.h"
#include "js.h"

static const char on_the_users_machine[] =
	"How much harm this call could do if it went wrong. LOW: it only looks, at files, "
	"states or documentation. MEDIUM: it changes the project, runs its build, tests or "
	"programs, or installs something for this project or user alone. HIGH: it changes "
	"the system or other people's work, uses sudo, installs for everybody, deletes what "
	"cannot be made again, runs what was just downloaded, or sends secrets or private "
	"data elsewhere. When in doubt, take the higher one.";
static const char in_a_sandbox[] =
	"How much harm this call could do although it runs in a sandbox. LOW: it only looks "
	"at what is inside. MEDIUM: it changes files or installs software inside the sandbox, "
	"or makes use of the network. HIGH: it sends secrets or private data out of the "
	"sandbox, tries to get out of it, or changes something outside. When in doubt, take "
	"the higher one.";

static json_object *risk_property(bool sandboxed)
{
	static const char *const levels[] = { "LOW", "MEDIUM", "HIGH" };
	AUTO(json) json_object *p = json_object_new_object();
	json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < ARRAY_LEN(levels); i++)
		js_add_new(list, json_object_new_string(levels[i]));
	if (js_set_str(p, "type", "string") || js_set(p, "enum", list) ||
	    js_set_str(p, "description", sandboxed ? in_a_sandbox : on_the_users_machine))
		return NULL;
	return STEAL(p);
}

json_object *risk_schema(json_object *schema, bool sandboxed)
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
	if (js_get(properties, "security_risk")) /* the tool has one of its own */
		return STEAL(copy);
	if (js_set(properties, "security_risk", risk_property(sandboxed)) ||
	    js_add_new(required, json_object_new_string("security_risk")))
		return NULL;
	return STEAL(copy);
}
