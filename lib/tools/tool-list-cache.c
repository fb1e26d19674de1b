/* SPDX-License-Identifier: MIT
 *
 * tool-list-cache.c - caches the tool lists of dynamic toolsets between runs. */
#include "tools/tool-list-cache.h"

#include "auto.h"
#include "digest.h"
#include "events/event.h"
#include "files.h"
#include "schema.h"

#include <mortise/tool.h>
#include <string.h>

enum { LIST_MAX = 16 << 20, LISTED_MAX = 512 };

/* The file of a list, which depends on the toolset, its path, and the options. */
static char *list_cache_path_of(const struct tool_instance *t, bool make)
{
	AUTO(free) char *dir = NULL, *lists = NULL;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20), name = STRBUF(256);
	char hash[SHA256_HEX];

	if (paths_xdg_dir("CACHE", make, &dir, NULL))
		return NULL;
	lists = path_join(dir, "tools");
	if (!lists || (make && dir_make(lists, NULL)))
		return NULL;
	strbuf_addf(&text, "%s\n%s\n%s\n", t->name, t->component->path,
		    t->component->key);
	js_put(&text, t->options);
	if (text.error || digest_sha256_hex(text.text, text.len, hash))
		return NULL;
	strbuf_addf(&name, "%.32s.json", hash);
	return path_join(lists, name.text);
}

json_object *tool_list_cache_read(const struct tool_instance *t)
{
	AUTO(free) char *path = list_cache_path_of(t, false), *text = NULL;
	AUTO(json) json_object *all = NULL;
	size_t len;

	if (!path || file_read(path, LIST_MAX, &text, &len, NULL) ||
	    !path_is_safe(path, NULL))
		return NULL;
	all = js_parse_object(text, len, NULL);
	return all ? tool_list_filter(t->component, js_get(all, "tools")) : NULL;
}

void tool_list_cache_write(const struct tool_instance *t, json_object *tools)
{
	AUTO(free) char *path = list_cache_path_of(t, true);
	AUTO(strbuf) struct strbuf text = STRBUF(LIST_MAX);

	strbuf_addc(&text, '{');
	js_key_str(&text, "instance", t->name);
	js_key(&text, "tools");
	js_put(&text, tools);
	strbuf_addc(&text, '}');
	if (path && !text.error)
		file_write(path, text.text, text.len, 0600, false, NULL);
}

/* ---- checking ------------------------------------------------------------- */

static bool list_cache_is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= 64 && strchr("_-0123456789", *name) == NULL &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_-") == len;
}

static bool is_events(json_object *events)
{
	if (!events)
		return true;
	if (!json_object_is_type(events, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		json_object *e = json_object_array_get_idx(events, i);
		json_object *when = js_get(e, "when"), *args = js_get(e, "args");

		if (!event_type_find(true, js_str(e, "action", "")) ||
		    (when && !json_object_is_type(when, json_type_object)) ||
		    (args && !json_object_is_type(args, json_type_object)))
			return false;
	}
	return true;
}

static bool list_cache_is_static(const struct component *component, const char *name)
{
	json_object *tools = js_get(component_data(component), "tools");
	size_t n = tools ? json_object_array_length(tools) : 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(js_str(json_object_array_get_idx(tools, i), "name", ""),
			   name) == 0)
			return true;
	return false;
}

json_object *tool_list_filter(const struct component *component, json_object *tools)
{
	json_object *good = json_object_new_array();
	size_t n = js_length(tools);

	for (size_t i = 0; good && i < n && i < LISTED_MAX; i++) {
		json_object *o = json_object_array_get_idx(tools, i);

		if (list_cache_is_name(js_str(o, "name", "")) &&
		    !list_cache_is_static(component, js_str(o, "name", "")) &&
		    is_events(js_get(o, "events")) &&
		    !schema_valid(js_get(o, "schema"), NULL) &&
		    !(js_int(o, "hints", 0) & MT_TOOL_CONTROL))
			js_add_new(good, json_object_get(o));
	}
	return good;
}
