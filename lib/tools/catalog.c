/* SPDX-License-Identifier: MIT
 *
 * catalog.c - resolves the `tools` list of a controller. */
#include "tools/catalog.h"

#include "array.h"
#include "auto.h"
#include "events/event.h"
#include "js.h"
#include "literal.h"
#include "log.h"
#include "options.h"
#include "tools/ffi-tools.h"
#include "tools/tool-list-cache.h"
#include "tools/mcp-servers.h"
#include "utf8.h"

#include <mortise/tool.h>
#include <string.h>

enum { CATALOG_TOOLS_MAX = 512, CATALOG_INSTANCES_MAX = 128, SAID_MAX = 1000 };

void catalog_clear(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		struct tool_instance *t = &catalog->instances[i];

		free(t->name);
		json_object_put(t->options);
		for (char **s = t->secrets; s && *s; s++)
			free(*s);
		free(t->secrets);
		json_object_put(t->listed);
		json_object_put(t->arrived);
		free(t->said);
	}
	for (size_t i = 0; i < catalog->own_count; i++)
		free(catalog->own_names[i]);
	free(catalog->own_names);
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

bool catalog_hides(const struct catalog *catalog, const struct tool *t)
{
	return catalog->hides && catalog->hides(catalog->hides_arg, t);
}

int catalog_unknown(const struct catalog *catalog, const char *name, const char *args,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf names = STRBUF(256), shown = STRBUF(4096);
	AUTO(json) json_object *value = args ? js_parse(args, strlen(args), NULL) : NULL;

	if (value)
		literal_put(&shown, value);
	else
		strbuf_add(&shown, args ? args : "");
	for (size_t i = 0; i < catalog->count; i++) {
		const struct tool *t = &catalog->tools[i];

		if (!catalog_hides(catalog, t))
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", t->name);
	}
	return fail(
		err, MT_ENOTFOUND,
		"Tool %s is not registered. (arguments: %.*s). Please check the tool name "
		"and retry with an existing tool: %s.",
		name, (int)utf8_cut(shown.text, shown.len, 100), shown.text, names.text);
}

static const struct tool_instance *instance_named(const struct catalog *catalog,
						  const char *name)
{
	for (size_t i = 0; i < catalog->instance_count; i++)
		if (strcmp(catalog->instances[i].name, name) == 0)
			return &catalog->instances[i];
	return NULL;
}

static bool catalog_lists(const char *list, const char *word)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if (len == strlen(word) && memcmp(item, word, len) == 0)
			return true;
	return false;
}

/* The secrets that [grant.X] sections grant to an instance. */
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
		if (!catalog_lists(config_get(c, section.text, "tools"), t->name))
			continue;
		t->secrets[count] = strdup(name);
		if (!t->secrets[count++])
			return MT_ENOMEM;
	}
	return MT_OK;
}

/* A server's declarations about its tools are trusted only if the user configures
 * this. */
static bool is_trusted(const struct config *c, const char *section,
		       const struct tool_instance *t)
{
	if (strcmp(t->component->name, MCP_TOOLSET) == 0)
		return option_to_bool(js_str(t->options, "trust_hints", "no"));
	return component_is_own(t->component) || config_bool(c, section, "trust_hints");
}

static bool catalog_is_set(const struct config *c, const char *section, const char *key)
{
	const char *origin = config_origin(c, section, key);

	return origin && strcmp(origin, "built in") != 0;
}

/* `options` (taken): of a server without a section. */
static int add_instance(struct catalog *catalog, const struct config *c,
			const char *family, const char *name,
			const struct component *component, json_object *options,
			struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	AUTO(json) json_object *list = NULL;
	struct tool_instance *t;
	int r;

	if (component_load(component, err)) {
		json_object_put(options);
		return err->code;
	}
	r = ARRAY_ADD(catalog->instances, catalog->instance_count, CATALOG_INSTANCES_MAX);
	if (r) {
		json_object_put(options);
		return r == MT_ELIMIT
			       ? fail(err, MT_ELIMIT, "more than %d toolsets are enabled",
				      CATALOG_INSTANCES_MAX)
			       : out_of_memory(err);
	}
	t = &catalog->instances[catalog->instance_count];
	*t = (struct tool_instance){ .component = component, .options = options };
	t->name = strdup(name);
	t->title = t->name;
	t->dynamic = js_bool(component_data(component), "dynamic", false);
	t->server = strcmp(family, MCP_TOOLSET) == 0;
	catalog->instance_count++;
	if (!t->name)
		return out_of_memory(err);
	if (t->server && strncmp(name, MCP_SERVER_PREFIX, strlen(MCP_SERVER_PREFIX)) == 0)
		t->title += strlen(MCP_SERVER_PREFIX);
	if (strbuf_addf(&section, "%s.%s", family, t->title) || grants(c, t))
		return out_of_memory(err);
	t->deadline_ms = config_int(c, section.text, "deadline");
	t->deadline_set = catalog_is_set(c, section.text, "deadline");
	r = options ? MT_OK
		    : component_section(c, section.text, component, &t->options, err);
	t->trusted = is_trusted(c, section.text, t);
	if (r || options || strcmp(component->name, FFI_TOOLSET) != 0)
		return r;
	t->alone = true; /* a function that crashes must affect only its library */
	r = ffi_tools_read(c, section.text, t->options, &list, err);
	t->listed = r ? NULL : tool_list_filter(component, list);
	return r;
}

static const char *catalog_family_of(const struct catalog *catalog,
				     const struct tool *tool)
{
	return catalog->instances[tool->instance].server ? MCP_SERVER_PREFIX : "tool.";
}

static int catalog_add_tool(struct catalog *catalog, const struct tool *tool,
			    struct error *err)
{
	const struct tool *other = catalog_find(catalog, tool->name);
	int status;

	if (!tool->schema)
		return out_of_memory(err);
	if (other)
		return fail(err, MT_EEXIST,
			    "duplicate tool name %s in [%s%s] and [%s%s]; remove one "
			    "from `tools`",
			    tool->name, catalog_family_of(catalog, other),
			    catalog->instances[other->instance].title,
			    catalog_family_of(catalog, tool),
			    catalog->instances[tool->instance].title);
	status = ARRAY_ADD(catalog->tools, catalog->count, CATALOG_TOOLS_MAX);
	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "more than %d tools are enabled",
			    CATALOG_TOOLS_MAX);
	if (status)
		return out_of_memory(err);
	catalog->tools[catalog->count] = *tool;
	catalog->tools[catalog->count++].trusted =
		catalog->instances[tool->instance].trusted;
	return MT_OK;
}

static struct tool catalog_tool_of(json_object *o, size_t instance)
{
	return (struct tool){
		.name = js_str(o, "name", ""),
		.real = js_str(o, "name", ""),
		.title = js_str(o, "title", ""),
		.deadline_ms = js_int(o, "deadline_ms", 0),
		.previews = js_bool(o, "preview", false),
		.description = js_str(o, "description", ""),
		.brief = js_str(o, "brief", ""),
		.schema_json = js_get(o, "schema"),
		.output_schema = js_get(o, "output_schema"),
		.schema = js_text(js_get(o, "schema"), NULL),
		.events = js_get(o, "events"),
		.hints = (unsigned)js_int(o, "hints", 0),
		.instance = instance,
	};
}

bool tool_only_reads(const struct tool *t)
{
	return t->trusted && (t->hints & MT_TOOL_READ_ONLY);
}

bool tool_may_read(const struct tool *t)
{
	for (size_t i = 0; t->trusted && i < js_length(t->events); i++) {
		json_object *mapping = json_object_array_get_idx(t->events, i);

		if (strcmp(js_str(mapping, "action", ""), "read") == 0)
			return true;
	}
	return false;
}

/* Make a name for a tool whose own name is taken, with the name of its instance as
 * prefix. For a server, if that name is also taken, `mcp_` precedes it. NULL: both are
 * taken, or out of memory. */
static const char *make_name(struct catalog *catalog, const struct tool *tool)
{
	const struct tool_instance *t = &catalog->instances[tool->instance];
	AUTO(strbuf) struct strbuf name = STRBUF(256);
	char *own;

	if (strbuf_addf(&name, "%.31s_%.32s", t->title, tool->real))
		return NULL;
	if (t->server && catalog_find(catalog, name.text)) {
		strbuf_reset(&name);
		strbuf_addf(&name, "mcp_%.28s_%.31s", t->title, tool->real);
	}
	if (name.error || catalog_find(catalog, name.text))
		return NULL;
	if (ARRAY_ADD(catalog->own_names, catalog->own_count, ARRAY_MAX))
		return NULL;
	own = strdup(name.text);
	if (own)
		catalog->own_names[catalog->own_count++] = own;
	return own;
}

/* True if another instance of this toolset has a tool of that name. */
static bool is_again(const struct catalog *catalog, const struct tool *tool)
{
	const struct tool *other = catalog_find(catalog, tool->name);

	return other && other->instance != tool->instance &&
	       catalog->instances[other->instance].component ==
		       catalog->instances[tool->instance].component;
}

/* True if an earlier item has added this tool. */
static bool is_offered(const struct catalog *catalog, const struct tool *tool)
{
	const struct tool *other = catalog_find(catalog, tool->name);

	return other && other->instance == tool->instance;
}

/* True if an item of `tools` selects this tool. Without `only` the item names the
 * toolset, which includes a tool on request only if the tool has the same name. */
static bool is_meant(const struct component *toolset, const struct tool *tool,
		     const char *only)
{
	if (only)
		return strcmp(only, tool->name) == 0;
	if (tool->hints & MT_TOOL_FOLLOW_UP)
		return false;
	return !(tool->hints & MT_TOOL_ON_REQUEST) ||
	       strcmp(toolset->name, tool->name) == 0;
}

/* Offer the tools of an instance; `only` (may be NULL) names a single one. */
static int offer(struct catalog *catalog, size_t instance, const char *only,
		 struct error *err)
{
	const struct component *component = catalog->instances[instance].component;
	json_object *tools = js_get(component_data(component), "tools");
	size_t n = tools ? json_object_array_length(tools) : 0;

	for (size_t i = 0; i < n; i++) {
		struct tool tool =
			catalog_tool_of(json_object_array_get_idx(tools, i), instance);
		const char *name = tool.name;
		int r;

		if (!is_meant(component, &tool, only) || is_offered(catalog, &tool))
			continue;
		if (is_again(catalog, &tool))
			name = make_name(catalog, &tool);
		tool.name = name ? name : tool.name;
		r = catalog_add_tool(catalog, &tool, err);
		if (r)
			return r;
	}
	return MT_OK;
}

/* ---- tools that a toolset lists at run time ---------------------------------- */

static void offer_listed(struct catalog *catalog, size_t instance)
{
	json_object *list = catalog->instances[instance].listed;
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct tool tool =
			catalog_tool_of(json_object_array_get_idx(list, i), instance);

		tool.trusted = catalog->instances[instance].trusted;
		if (catalog->read_only && !tool_only_reads(&tool))
			continue;
		if (catalog_find(catalog, tool.name))
			tool.name = make_name(catalog, &tool);
		if (!tool.name || catalog_add_tool(catalog, &tool, NULL))
			log_line(MT_LOG_WARNING, catalog->instances[instance].name,
				 "cannot offer tool %s: its name is already used, or "
				 "there are too many tools",
				 tool.real);
	}
}

static void drop_listed(struct catalog *catalog)
{
	catalog->count = catalog->static_count;
	while (catalog->own_count > catalog->static_own)
		free(catalog->own_names[--catalog->own_count]);
}

static void offer_all_listed(struct catalog *catalog)
{
	drop_listed(catalog);
	for (size_t i = 0; i < catalog->instance_count; i++)
		offer_listed(catalog, i);
}

void catalog_read_only(struct catalog *catalog)
{
	catalog->read_only = true;
	offer_all_listed(catalog);
}

void catalog_arrived(const struct catalog *catalog, const char *instance,
		     json_object *tools)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		struct tool_instance *t = &catalog->instances[i];
		json_object *list;

		if (strcmp(t->name, instance) != 0 || !t->dynamic)
			continue;
		t->answered = true;
		if (!tools)
			return;
		list = tool_list_filter(t->component, tools);
		if (!list)
			return;
		json_object_put(t->arrived);
		t->arrived = list;
		t->lists = true;
		free(STEAL(t->said));
		if (!js_equal(t->listed, list))
			tool_list_cache_write(t, list);
	}
}

void catalog_said(const struct catalog *catalog, const char *instance, const char *text)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		struct tool_instance *t = &catalog->instances[i];

		if (t->server && strcmp(t->name, instance) == 0) {
			free(t->said);
			t->said = strndup(text, utf8_cut(text, strlen(text), SAID_MAX));
		}
	}
}

bool catalog_is_awaited(const struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		const struct tool_instance *t = &catalog->instances[i];

		if (t->dynamic && !t->listed && !t->answered)
			return true;
	}
	return false;
}

bool catalog_renew(struct catalog *catalog)
{
	bool changed = false;

	for (size_t i = 0; i < catalog->instance_count; i++) {
		struct tool_instance *t = &catalog->instances[i];
		json_object *new = STEAL(t->arrived);

		if (!new || js_equal(new, t->listed)) {
			json_object_put(new);
			continue;
		}
		json_object_put(t->listed);
		t->listed = new;
		changed = true;
	}
	if (changed)
		offer_all_listed(catalog);
	return changed;
}

/* ---- resolving names --------------------------------------------------------- */

/* The instance of a server. If a toolset or a section [tool.X] has the name, even an
 * unused one, the server is `mcp.NAME` everywhere: for the runner, in grants, for each
 * agent. */
static int server_instance(const struct config *c, const struct registry *r,
			   const char *name, struct strbuf *ret)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	bool taken;

	if (strbuf_addf(&section, "tool.%s", name))
		return MT_ENOMEM;
	taken = config_has(c, section.text) || registry_find(r, MT_KIND_TOOL, name);
	return strbuf_addf(ret, "%s%s", taken ? MCP_SERVER_PREFIX : "", name);
}

static int wire_server(struct catalog *catalog, const struct config *c,
		       const struct registry *r, const char *name, json_object *options,
		       struct error *err)
{
	AUTO(strbuf) struct strbuf instance = STRBUF(256);
	const struct component *component = NULL;
	int status = server_instance(c, r, name, &instance);

	if (status)
		fail_code(err, status);
	else if (!instance_named(catalog, instance.text))
		component = registry_need(r, MT_KIND_TOOL, MCP_TOOLSET, err);
	if (!component) {
		json_object_put(options);
		return err && err->code ? err->code : MT_OK;
	}
	status = add_instance(catalog, c, MCP_TOOLSET, instance.text, component, options,
			      err);
	return status ? status : offer(catalog, catalog->instance_count - 1, NULL, err);
}

/* `name` NULL: all servers. @return MT_ENOTFOUND: unknown server. */
static int wire_servers(struct catalog *catalog, const struct config *c,
			const struct registry *r, const char *name, struct error *err)
{
	struct mcp_servers s = { 0 };
	int status = mcp_servers_read(c, &s, err);
	bool found = !name;

	for (size_t i = 0; !status && i < s.count; i++) {
		if (name && strcmp(name, s.names[i]) != 0)
			continue;
		found = true;
		status = wire_server(catalog, c, r, s.names[i], STEAL(s.options[i]), err);
	}
	mcp_servers_clear(&s);
	return status ? status : found ? MT_OK : MT_ENOTFOUND;
}

static int no_server(const struct config *c, const char *name, struct error *err)
{
	enum { SUGGESTED_MAX = 256 };
	const char *names[SUGGESTED_MAX], *near;
	size_t count = 0;
	char section[128];

	snprintf(section, sizeof section, "mcp.%.80s", name);
	if (config_has(c, section))
		return fail(err, MT_ENOTFOUND,
			    "MCP server `%.80s` is disabled; set enabled = yes in [%s]",
			    name, section);
	while (count < SUGGESTED_MAX && (names[count] = config_named(c, "mcp", count)))
		count++;
	near = option_suggest(name, names, count);
	if (near)
		return fail(err, MT_ENOTFOUND,
			    "unknown MCP server `%.80s`; did you mean `%s`?", name, near);
	return fail(err, MT_ENOTFOUND,
		    "unknown MCP server `%.80s`; `mortise mcp list` lists the configured "
		    "ones",
		    name);
}

static int catalog_resolve(struct catalog *catalog, const struct config *c,
			   const struct registry *r, const char *item, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const struct component *component;
	const struct tool_instance *there;
	const char *plugin, *only = NULL, *instance = item;
	int status;

	if (strbuf_addf(&section, "tool.%s", item))
		return fail(err, MT_EINVAL, "`tools`: name is too long");
	if (strcmp(item, MCP_TOOLSET) == 0 && !config_has(c, section.text))
		return wire_servers(catalog, c, r, NULL, err);
	if (strncmp(item, MCP_SERVER_PREFIX, strlen(MCP_SERVER_PREFIX)) == 0 &&
	    !config_has(c, section.text)) {
		item += strlen(MCP_SERVER_PREFIX);
		status = wire_servers(catalog, c, r, item, err);
		return status != MT_ENOTFOUND || (err && err->code)
			       ? status
			       : no_server(c, item, err);
	}
	plugin = config_has(c, section.text) ? config_get(c, section.text, "plugin")
					     : NULL;
	component = registry_find(r, MT_KIND_TOOL, plugin ? plugin : item);
	if (!component && !plugin) {
		status = wire_servers(catalog, c, r, item, err);
		if (status != MT_ENOTFOUND)
			return status;
		component = registry_find_toolset(r, item);
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
		status = add_instance(catalog, c, "tool", instance, component, NULL, err);
		if (status)
			return status;
		there = &catalog->instances[catalog->instance_count - 1];
	}
	return offer(catalog, (size_t)(there - catalog->instances), only, err);
}

static void offer_known(struct catalog *catalog)
{
	catalog->static_count = catalog->count;
	catalog->static_own = catalog->own_count;
	for (size_t i = 0; i < catalog->instance_count; i++)
		if (catalog->instances[i].dynamic && !catalog->instances[i].listed)
			catalog->instances[i].listed =
				tool_list_cache_read(&catalog->instances[i]);
	offer_all_listed(catalog);
}

int catalog_open(const struct config *c, const struct registry *r, const char *list,
		 struct catalog *ret, struct error *err)
{
	struct catalog catalog = { 0 };
	const char *item;
	size_t len;
	int status = MT_OK;

	while (!status && list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		status = name ? catalog_resolve(&catalog, c, r, name, err)
			      : out_of_memory(err);
	}
	if (status) {
		catalog_clear(&catalog);
		return status;
	}
	offer_known(&catalog);
	*ret = catalog;
	return MT_OK;
}

int catalog_add_finder(struct catalog *catalog, const struct config *c,
		       const struct registry *r, struct error *err)
{
	static const char name[] = "find_tools";
	const struct component *component = registry_find(r, MT_KIND_TOOL, name);
	bool servers = false;
	int status;

	for (size_t i = 0; i < catalog->instance_count; i++)
		servers |= catalog->instances[i].server;
	if (!component || !servers || instance_named(catalog, name))
		return MT_OK;
	drop_listed(catalog);
	status = add_instance(catalog, c, "tool", name, component, NULL, err);
	if (!status)
		status = offer(catalog, catalog->instance_count - 1, NULL, err);
	offer_known(catalog);
	return status;
}
