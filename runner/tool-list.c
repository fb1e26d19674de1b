/* SPDX-License-Identifier: MIT
 *
 * tool-list.c - the tools of an instance, static and dynamic ones, as JSON; and a copy of
 * the data required to call dynamic ones. */
#include "ffi-call.h"
#include "function-schema.h"
#include "params.h"
#include "worker.h"
#include <string.h>

enum { LISTED_MAX = 512, JSON_MAX = 16 << 20 };

struct mt_listing {
	struct mt_instance *instance;
	struct strbuf *json;
	struct listed *tools;
	size_t count;
};

static bool good_name(const char *name)
{
	return name && function_name_is_valid(name, strlen(name));
}

static void tool_list_put_json(struct strbuf *b, const char *key, const char *text)
{
	AUTO(json) json_object *value = text ? js_parse(text, strlen(text), NULL) : NULL;

	js_key(b, key);
	js_put(b, value);
}

/* The checked schema: given, or created from the function or the parameters. */
static int make_schema(const struct mt_tool *t, struct strbuf *ret)
{
	struct error err = ERROR_NONE;

	if (!t->schema)
		return t->function ? function_schema(t->function, ret, NULL)
				   : params_schema(t, ret, NULL);
	json_object_put(js_parse_object(t->schema, strlen(t->schema), &err));
	return err.code ? err.code : strbuf_add(ret, t->schema);
}

static void tool_list_put_schema(struct strbuf *b, const struct mt_tool *t)
{
	struct strbuf schema AUTO(strbuf) = STRBUF(1 << 20);

	tool_list_put_json(b, "schema",
			   make_schema(t, &schema) ? "{\"type\":\"object\"}"
						   : schema.text);
}

static void tool_list_put_tool(struct strbuf *b, const struct mt_tool *t)
{
	if (b->len && b->text[b->len - 1] != '[')
		strbuf_addc(b, ',');
	strbuf_addc(b, '{');
	js_key_str(b, "name", t->name);
	js_key_str(b, "description", t->description ? t->description : "");
	if (t->title)
		js_key_str(b, "title", t->title);
	if (t->brief)
		js_key_str(b, "brief", t->brief);
	tool_list_put_schema(b, t);
	if (t->output_schema)
		tool_list_put_json(b, "output_schema", t->output_schema);
	if (t->deadline_ms)
		js_key_int(b, "deadline_ms", t->deadline_ms);
	if (loader_tool_preview(t))
		js_key_bool(b, "preview", true);
	if (t->events)
		tool_list_put_json(b, "events", t->events);
	js_key_int(b, "hints", t->hints);
	strbuf_addc(b, '}');
}

static void free_tool(struct listed *tool)
{
	free(tool->name);
	ffi_function_free(tool->function);
	json_object_put(tool->defaults);
}

static void free_tools(struct listed *tools, size_t count)
{
	for (size_t n = 0; n < count; n++)
		free_tool(&tools[n]);
	free(tools);
}

static bool has_tool(const struct mt_listing *l, const char *name)
{
	const struct mt_toolset *set = l->instance->set;

	for (size_t n = 0; n < l->count; n++)
		if (strcmp(l->tools[n].name, name) == 0)
			return true;
	for (uint32_t n = 0; n < set->tool_count; n++)
		if (strcmp(loader_toolset_tool(set, n)->name, name) == 0)
			return true;
	return false;
}

/* Check a tool as discovery checks static tools. */
static bool can_be_listed(const struct mt_listing *l, const struct mt_tool *t)
{
	struct strbuf schema AUTO(strbuf) = STRBUF(1 << 20);
	struct error err = ERROR_NONE;

	if (!t || t->size < MT_TOOL_SIZE_1_0 || !good_name(t->name) ||
	    has_tool(l, t->name) || t->reserved || t->deadline_ms < -1 ||
	    t->result_max < 0 || params_check_sources(t, NULL))
		return false;
	if (t->events)
		json_object_put(js_parse(t->events, strlen(t->events), &err));
	return !err.code && !(t->function && function_check(t->function, NULL)) &&
	       !make_schema(t, &schema);
}

int tool_list_add(struct mt_listing *l, const struct mt_tool *t)
{
	struct listed *item;

	if (!can_be_listed(l, t))
		return MT_EINVAL;
	if (l->count == LISTED_MAX)
		return MT_ELIMIT;
	item = &l->tools[l->count];
	*item = (struct listed){ .name = strdup(t->name), .hints = t->hints,
				 .call = t->call, .preview = loader_tool_preview(t),
				 .result_max = t->result_max };
	if (t->function)
		item->function = ffi_function_copy(t->function);
	item->defaults = json_object_new_object();
	if (!item->name || (t->function && !item->function) || !item->defaults ||
	    params_add_defaults(t, item->defaults)) {
		free_tool(item);
		return MT_ENOMEM;
	}
	tool_list_put_tool(l->json, t);
	l->count++;
	return l->json->error;
}

int tool_list_make(struct mt_instance *instance, struct strbuf *ret_json,
		   struct error *err)
{
	const struct mt_toolset *set = instance->set;
	struct mt_listing l = { .instance = instance, .json = ret_json };
	int status = MT_OK;

	l.tools = calloc(LISTED_MAX, sizeof *l.tools);
	if (!l.tools)
		return out_of_memory(err);
	*ret_json = STRBUF(JSON_MAX);
	strbuf_addc(ret_json, '[');
	for (uint32_t n = 0; n < set->tool_count; n++)
		if (good_name(loader_toolset_tool(set, n)->name))
			tool_list_put_tool(ret_json, loader_toolset_tool(set, n));
	atomic_store(&instance->list_stale, false);
	if (set->list)
		status = worker_plugin_status(
			set->list(&tool_host, instance, instance->self, &l));
	strbuf_addc(ret_json, ']');
	if (!status)
		status = ret_json->error;
	if (status) {
		atomic_store(&instance->list_stale, true);
		free_tools(l.tools, l.count);
		return fail(err, status, "%s",
			    *instance->last_log ? instance->last_log
						: status_name(status));
	}
	free_tools(instance->listed, instance->listed_count);
	instance->listed = l.tools;
	instance->listed_count = l.count;
	return MT_OK;
}
