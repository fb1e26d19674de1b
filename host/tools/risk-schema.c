/* SPDX-License-Identifier: MIT
 *
 * risk-schema.c - describes the argument `security_risk` to the model. */
#include "tools/risk-schema.h"

#include "auto.h"
#include "js.h"

static const char on_the_users_machine[] =
	"Harm that this call could do. LOW: only reads files, state or documentation. "
	"MEDIUM: changes the project, runs its build, tests or programs, or installs "
	"something for this project or user only. HIGH: changes the system or other "
	"people's work, uses sudo, installs for all users, deletes what cannot be "
	"restored, runs downloaded code, or sends secrets or private data elsewhere. "
	"If in doubt, choose the higher level.";
static const char in_a_sandbox[] =
	"Harm that this call could do although it runs in a sandbox. LOW: only reads "
	"in the sandbox. MEDIUM: changes files or installs software in the sandbox, or "
	"uses the network. HIGH: sends secrets or private data out of the sandbox, "
	"tries to escape from it, or changes something outside. If in doubt, choose "
	"the higher level.";

static json_object *risk_property(bool sandboxed)
{
	static const char *const levels[] = { "LOW", "MEDIUM", "HIGH" };
	AUTO(json) json_object *p = json_object_new_object();
	json_object *list = js_new_list();

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
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
