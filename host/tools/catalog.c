/* SPDX-License-Identifier: MIT
 *
 * catalog.c - resolving the `tools` list of a controller. */
#include "tools/catalog.h"

#include "auto.h"
#include "events/event.h"
#include "js.h"
#include "utf8.h"

#include <mortise/tool.h>
#include <string.h>

enum { CATALOG_TOOLS_MAX = 512, CATALOG_INSTANCES_MAX = 128 };

static const char *const own_keys[] = { "plugin", "deadline", NULL };

void catalog_clear(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		struct tool_instance *t = &catalog->instances[i];

		free(t->name);
		json_object_put(t->options);
		for (char **s = t->secrets; s && *s; s++)
			free(*s);
		free(t->secrets);
	}
	free(catalog->instances);
	free(catalog->tools);
	*catalog = (struct catalog){ 0 };
}

const struct tool *catalog_find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (strcmp(catalog->tools[i].name, name) == 0)
			return &catalog->tools[i];
	return NULL;
}

int catalog_unknown(const struct catalog *catalog, const char *name, const char *args,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf names = STRBUF(256), shown = STRBUF(4096);
	AUTO(json) json_object *value = js_parse(args, strlen(args), NULL);

	if (value)
		python_repr(&shown, value);
	else
		strbuf_add(&shown, args);
	for (size_t i = 0; i < catalog->count; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", catalog->tools[i].name);
	return fail(err, MT_ENOTFOUND,
		    "Tool %s is not registered. (arguments: %.*s). Please check the tool name "
		    "and retry with an existing tool: %s.", name,
		    (int)utf8_cut(shown.text, shown.len, 100), shown.text, names.text);
}

static const struct tool_instance *instance_named(const struct catalog *catalog,
						  const char *name)
{
	for (size_t i = 0; i < catalog->instance_count; i++)
		if (strcmp(catalog->instances[i].name, name) == 0)
			return &catalog->instances[i];
	return NULL;
}

static bool lists(const char *list, const char *word)
{
	const char *item;
	size_t len;

	while (list && list_next(&list, &item, &len))
		if (len == strlen(word) && memcmp(item, word, len) == 0)
			return true;
	return false;
}

/* The secrets that [grant.X] sections give to an instance. */
static int grants(const struct config *c, struct tool_instance *t)
{
	size_t n = 0, count = 0;
	const char *name;

	while (config_named(c, "grant", n))
		n++;
	t->secrets = calloc(n + 1, sizeof *t->secrets);
	if (!t->secrets)
		return MT_ENOMEM;
	for (size_t i = 0; (name = config_named(c, "grant", i)); i++) {
		AUTO(strbuf) struct strbuf section = STRBUF(256);

		if (strbuf_addf(&section, "grant.%s", name))
			return MT_ENOMEM;
		if (!lists(config_get(c, section.text, "tools"), t->name))
			continue;
		t->secrets[count] = strdup(name);
		if (!t->secrets[count++])
			return MT_ENOMEM;
	}
	return MT_OK;
}

static int add_instance(struct catalog *catalog, const struct config *c, const char *name,
			const struct component *component, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct tool_instance *all, *t;
	int r;

	if (catalog->instance_count >= CATALOG_INSTANCES_MAX)
		return fail(err, MT_ELIMIT, "more than %d toolsets are wired",
			    CATALOG_INSTANCES_MAX);
	all = realloc(catalog->instances, (catalog->instance_count + 1) * sizeof *all);
	if (!all)
		return fail(err, MT_ENOMEM, "out of memory");
	catalog->instances = all;
	t = &all[catalog->instance_count];
	*t = (struct tool_instance){ .component = component };
	t->name = strdup(name);
	catalog->instance_count++;
	if (!t->name || strbuf_addf(&section, "tool.%s", name) || grants(c, t))
		return fail(err, MT_ENOMEM, "out of memory");
	t->deadline_ms = config_int(c, section.text, "deadline");
	r = config_section(c, section.text, component->options, component->option_count,
			   own_keys, &t->options, err);
	return r;
}

static int add_tool(struct catalog *catalog, const struct tool *tool, struct error *err)
{
	const struct tool *other = catalog_find(catalog, tool->name);
	struct tool *all;

	if (other)
		return fail(err, MT_EEXIST,
			    "two tools are named %s: of [tool.%s] and of [tool.%s]; leave one "
			    "out of `tools`", tool->name,
			    catalog->instances[other->instance].name,
			    catalog->instances[tool->instance].name);
	if (catalog->count >= CATALOG_TOOLS_MAX)
		return fail(err, MT_ELIMIT, "more than %d tools are wired",
			    CATALOG_TOOLS_MAX);
	all = realloc(catalog->tools, (catalog->count + 1) * sizeof *all);
	if (!all)
		return fail(err, MT_ENOMEM, "out of memory");
	catalog->tools = all;
	all[catalog->count++] = *tool;
	return MT_OK;
}

/* Offer the tools of an instance; `only` (may be NULL) names a single one. */
static int offer(struct catalog *catalog, size_t instance, const char *only,
		 struct error *err)
{
	const struct component *component = catalog->instances[instance].component;
	json_object *tools = js_get(component->data, "tools");
	size_t n = tools ? json_object_array_length(tools) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(tools, i);
		struct tool tool = {
			.name = js_str(o, "name", ""),
			.description = js_str(o, "description", ""),
			.brief = js_str(o, "brief", ""),
			.schema_json = js_get(o, "schema"),
			.events = js_get(o, "events"),
			.resources = js_str(o, "resources", NULL),
			.hints = (unsigned)js_int(o, "hints", 0),
			.instance = instance,
		};
		int r;

		if (only && strcmp(only, tool.name) != 0)
			continue;
		tool.schema = js_text(tool.schema_json, NULL);
		r = add_tool(catalog, &tool, err);
		if (r)
			return r;
	}
	return MT_OK;
}

static bool has_tool(const struct component *component, const char *name)
{
	json_object *tools = js_get(component->data, "tools");
	size_t n = tools ? json_object_array_length(tools) : 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(js_str(json_object_array_get_idx(tools, i), "name", ""), name) == 0)
			return true;
	return false;
}

/* The toolset that brings a single tool of this name. */
static const struct component *toolset_of(const struct registry *r, const char *tool)
{
	const struct component *component;

	for (size_t i = 0; (component = registry_at(r, i)); i++)
		if (component->kind == MT_KIND_TOOL && has_tool(component, tool))
			return component;
	return NULL;
}

static int resolve(struct catalog *catalog, const struct config *c,
		   const struct registry *r, const char *item, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const struct component *component;
	const struct tool_instance *there;
	const char *plugin, *only = NULL, *instance = item;
	int status;

	if (strbuf_addf(&section, "tool.%s", item))
		return fail(err, MT_EINVAL, "`tools`: a name is too long");
	plugin = config_has(c, section.text) ? config_get(c, section.text, "plugin") : NULL;
	component = registry_find(r, MT_KIND_TOOL, plugin ? plugin : item);
	if (!component && !plugin) {
		component = toolset_of(r, item);
		if (component) {
			only = item;
			instance = component->name;
		}
	}
	if (!component) {
		registry_need(r, MT_KIND_TOOL, plugin ? plugin : item, err);
		return err && err->code ? err->code : MT_ENOTFOUND;
	}
	there = instance_named(catalog, instance);
	if (!there) {
		status = add_instance(catalog, c, instance, component, err);
		if (status)
			return status;
		there = &catalog->instances[catalog->instance_count - 1];
	}
	return offer(catalog, (size_t)(there - catalog->instances), only, err);
}

int catalog_open(const struct config *c, const struct registry *r, const char *list,
		 struct catalog *ret, struct error *err)
{
	struct catalog catalog = { 0 };
	const char *item;
	size_t len;
	int status = MT_OK;

	while (!status && list && list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		status = name ? resolve(&catalog, c, r, name, err)
			      : fail(err, MT_ENOMEM, "out of memory");
	}
	if (status)
		catalog_clear(&catalog);
	else
		*ret = catalog;
	return status;
}
