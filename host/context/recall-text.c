/* SPDX-License-Identifier: MIT
 *
 * recall-text.c - formats a recall observation for the model. */
#include "context/recall-text.h"

#include "context/prompts.h"

#include <string.h>

static const char items_key[] = "microagent_knowledge";

static json_object *items_of(const struct event *e)
{
	json_object *list = js_get(event_args(e), items_key);

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

static size_t recall_text_count_of(json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

/* ---- knowledge: each item once ------------------------------------------ */

/* The names of the items in recalls before `id`, as members of an object. */
static json_object *names_before(struct evlog *log, int64_t id)
{
	json_object *names = js_new_object();

	for (int64_t i = 0; i < id; i++) {
		const struct evlog_head *head = evlog_head(log, i);
		AUTO(event) struct event *e = NULL;
		json_object *list;

		if (head->undone || head->type->id != OBSERVATION_RECALL)
			continue;
		e = evlog_event(log, i, NULL);
		list = e ? items_of(e) : NULL;
		for (size_t k = 0; k < recall_text_count_of(list); k++)
			js_set_bool(names,
				    js_str(json_object_array_get_idx(list, k), "name",
					   ""),
				    true);
	}
	return names;
}

static json_object *new_items(struct evlog *log, const struct event *e)
{
	AUTO(json) json_object *names = names_before(log, e->id);
	json_object *list = items_of(e), *ret = js_new_list();

	if (js_failed(names))
		js_fail(ret);
	for (size_t i = 0; i < recall_text_count_of(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);

		if (!js_get(names, js_str(item, "name", "")))
			js_add(ret, json_object_get(item));
	}
	return ret;
}

/* ---- the workspace ------------------------------------------------------ */

/* The members of an object as a list of {name, value}, as templates expect them. */
static json_object *pairs(json_object *members)
{
	json_object *list = js_new_list();

	if (!json_object_is_type(members, json_type_object))
		return list;
	json_object_object_foreach(members, name, value) {
		json_object *pair = js_new_object();

		js_set_str(pair, "name", name);
		js_set_str(pair, "value", value ? json_object_get_string(value) : "");
		js_add_new(list, pair);
	}
	return list;
}

/* Without more than the type and the directory, there is nothing to show. */
static bool has_content(json_object *data)
{
	json_object_object_foreach(data, name, value) {
		if (strcmp(name, "recall_type") == 0 || strcmp(name, "working_dir") == 0)
			continue;
		if (json_object_is_type(value, json_type_array)
			    ? json_object_array_length(value) > 0
		    : json_object_is_type(value, json_type_object)
			    ? json_object_object_length(value) > 0
			    : value && *json_object_get_string(value))
			return true;
	}
	return false;
}

char *recall_render(const struct config *c, const char *agent, struct evlog *log,
		    const struct event *e, struct error *err)
{
	json_object *args = event_args(e);
	bool knowledge = strcmp(js_str(args, "recall_type", ""), "knowledge") == 0;
	AUTO(json) json_object *data = NULL;

	if (json_object_deep_copy(args, &data, NULL) != 0) {
		out_of_memory(err);
		return NULL;
	}
	js_set(data, items_key, new_items(log, e));
	js_set(data, "hosts", pairs(js_get(args, "runtime_hosts")));
	js_set(data, "secrets", pairs(js_get(args, "custom_secrets_descriptions")));
	if (js_failed(data)) {
		out_of_memory(err);
		return NULL;
	}
	if (!has_content(data))
		return strdup("");
	return prompt_render(c, agent, knowledge ? "knowledge" : "context", data, err);
}
