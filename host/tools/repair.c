/* SPDX-License-Identifier: MIT
 *
 * repair.c - mending the arguments of tool calls. */
#include "tools/repair.h"

json_object *repair_parse(const char *text, size_t len, struct error *err)
{
	json_object *args = js_parse(text, len, err);

	if (args && !json_object_is_type(args, json_type_object)) {
		json_object_put(args);
		args = NULL;
	}
	if (!args && (!err || err->code == MT_OK))
		args = json_object_new_object();
	return args;
}

int repair_arguments(json_object *schema, json_object *args)
{
	(void)schema, (void)args;
	return MT_OK;
}
