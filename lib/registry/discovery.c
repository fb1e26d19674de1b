/* SPDX-License-Identifier: MIT
 *
 * discovery.c - scans the plugin directories and finds components. */
#include "files.h"
#include "registry/internal.h"
#include "registry/trusted-path.h"
#include "array.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>

/* A file or directory of the plugin path. */
struct place {
	char *path;
	struct stat st;
	char *refusal;        /* reason why it is not loaded; NULL: none */
	json_object *plugin;  /* its description */
	int retry_after;      /* delay after a new refusal */
	bool fresh;           /* not in the cache */
};

struct scan {
	struct cache cache;
	struct place *places; /* in order of precedence */
	size_t count, room;
};

static void refusal_clear(struct refusal *refused)
{
	free((char *)(uintptr_t)refused->path);
	free((char *)(uintptr_t)refused->reason);
	free((char *)(uintptr_t)refused->name);
}

struct registry *registry_free(struct registry *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; i < r->component_count; i++) {
		struct component *c = &r->components[i];

		options_free(c->options, c->option_count);
		free((char *)(uintptr_t)c->path);
		free(c->key);
		free(c->unique);
		json_object_put(c->data);
	}
	for (size_t i = 0; i < r->refusal_count; i++)
		refusal_clear(&r->refusals[i]);
	for (size_t i = 0; i < r->kept_count; i++)
		json_object_put(r->kept[i]);
	for (size_t i = 0; i < r->loaded_count; i++)
		free(r->loaded[i].path);
	free(r->components);
	free(r->refusals);
	free(r->kept);
	free(r->loaded);
	free(r);
	return NULL;
}

int registry_refuse(struct registry *r, const char *path, int kind, const char *name,
		    const char *reason)
{
	int status = ARRAY_GROW(r->refusals, &r->refusal_room, r->refusal_count + 1,
				ARRAY_MAX);
	struct refusal *new;

	if (status)
		return status;
	new = &r->refusals[r->refusal_count];
	*new = (struct refusal){ .path = strdup(path),
				 .reason = strdup(reason),
				 .name = name ? strdup(name) : NULL,
				 .kind = kind };
	if (!new->path || !new->reason || (name && !new->name)) {
		refusal_clear(new);
		return MT_ENOMEM;
	}
	r->refusal_count++;
	return MT_OK;
}

/* ---- from descriptions to components ------------------------------------------- */

static int fill_component(struct component *c, json_object *plugin, json_object *o,
			  const char *path, const struct stat *st)
{
	char key[96];

	cache_key(st, key, sizeof key);
	*c = (struct component){
		.kind = kind_find(js_str(o, "kind", "")),
		.name = js_str(o, "name", ""),
		.summary = js_str(o, "summary", ""),
		.plugin = js_str(plugin, "name", ""),
		.version = js_str(plugin, "version", ""),
		.license = js_str(plugin, "license", ""),
		.id = js_str(plugin, "id", ""),
		.vendor = js_str(plugin, "vendor", ""),
		.url = js_str(plugin, "url", ""),
		.about = js_str(plugin, "about", ""),
		.permissions = js_get(plugin, "permissions"),
		.libraries = js_get(plugin, "libraries"),
		.version_major = (uint16_t)js_int(o, "major", 0),
		.version_minor = (uint16_t)js_int(o, "minor", 0),
		.options_described = js_get(o, "options"),
		.data_described = js_get(o, "data"),
		.path = strdup(path),
		.key = strdup(key),
	};
	if (c->path)
		c->unique = component_make_unique(
			c, json_object_array_length(js_get(plugin, "components")) == 1);
	if (!c->path || !c->key || !c->unique)
		return MT_ENOMEM;
	return MT_OK;
}

static int add_component(struct registry *r, json_object *plugin, json_object *o,
			 const char *path, const struct stat *st)
{
	int status = ARRAY_GROW(r->components, &r->component_room, r->component_count + 1,
				ARRAY_MAX);
	struct component *new;

	if (status)
		return status;
	new = &r->components[r->component_count];
	status = fill_component(new, plugin, o, path, st);
	if (status) {
		free((char *)(uintptr_t) new->path);
		free(new->key);
		free(new->unique);
		return status;
	}
	r->component_count++;
	return MT_OK;
}

/* True if this is a member of a description, or its text (see cache_put). */
static bool is_member(json_object *value, enum json_type type)
{
	return json_object_is_type(value, type) ||
	       (json_object_is_type(value, json_type_string) &&
		*json_object_get_string(value) == (type == json_type_array ? '[' : '{'));
}

/* Check the form of a description: it may have been read from a file. */
static bool is_description(json_object *plugin)
{
	json_object *all = js_get(plugin, "components");

	if (!json_object_is_type(all, json_type_array) || !*js_str(plugin, "name", ""))
		return false;
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *o = json_object_array_get_idx(all, i);

		if (!kind_find(js_str(o, "kind", "")) || !*js_str(o, "name", "") ||
		    !is_member(js_get(o, "options"), json_type_array) ||
		    !is_member(js_get(o, "data"), json_type_object))
			return false;
	}
	return true;
}

/* Refuse components that require another version of mortise. */
static int refuse_components(struct registry *r, json_object *refused, const char *path)
{
	size_t count = js_length(refused);
	int status = MT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		json_object *o = json_object_array_get_idx(refused, i);
		AUTO(strbuf) struct strbuf reason = STRBUF(8192);

		strbuf_addf(&reason, "`%s`: %s", js_str(o, "name", ""),
			    js_str(o, "reason", ""));
		status = reason.error
				 ? reason.error
				 : registry_refuse(r, path,
						   kind_find(js_str(o, "kind", "")),
						   js_str(o, "name", ""), reason.text);
	}
	return status;
}

static int add_plugin(struct registry *r, json_object *plugin, const char *path,
		      const struct stat *st)
{
	json_object *all = js_get(plugin, "components");
	int status = ARRAY_GROW(r->kept, &r->kept_room, r->kept_count + 1, ARRAY_MAX);

	if (status)
		return status;
	r->kept[r->kept_count++] = json_object_get(plugin);
	for (size_t i = 0; i < json_object_array_length(all) && !status; i++)
		status = add_component(r, plugin, json_object_array_get_idx(all, i), path,
				       st);
	return status ? status : refuse_components(r, js_get(plugin, "refusals"), path);
}

/* ---- what the plugin path contains --------------------------------------------- */

/* `why` NULL: the file will be probed. */
static int discovery_add_place(struct scan *scan, const char *path, const struct stat *st,
			       const char *why)
{
	struct place *new;

	if (ARRAY_GROW(scan->places, &scan->room, scan->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	new = &scan->places[scan->count];
	*new = (struct place){ .path = strdup(path),
			       .refusal = why ? strdup(why) : NULL };
	if (st)
		new->st = *st;
	if (!new->path || (why && !new->refusal)) {
		free(new->path);
		free(new->refusal);
		return MT_ENOMEM;
	}
	scan->count++;
	return MT_OK;
}

static bool is_known_file(const struct scan *scan, const struct stat *st)
{
	for (size_t i = 0; i < scan->count; i++)
		if (scan->places[i].st.st_ino == st->st_ino &&
		    scan->places[i].st.st_dev == st->st_dev)
			return true;
	return false;
}

/* The reason not to probe a file of a trusted directory; NULL: none. */
static const char *refusal_of_file(const char *path, const struct stat *st,
				   struct error *err)
{
	struct stat link;

	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (trusted_file(st))
		return trusted_file(st);
	if (lstat(path, &link) == 0 && !S_ISLNK(link.st_mode))
		return NULL;
	return trusted_way(path, err) ? err->text : NULL;
}

/* Add a file once, even if several paths lead to it. */
static int discovery_add_file(struct scan *scan, const char *path)
{
	struct error err = ERROR_NONE;
	struct stat st;

	if (stat(path, &st) != 0)
		return discovery_add_place(scan, path, NULL, strerror(errno));
	if (is_known_file(scan, &st))
		return MT_OK;
	return discovery_add_place(scan, path, &st, refusal_of_file(path, &st, &err));
}

static int is_plugin(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 3 &&
	       strcmp(entry->d_name + len - 3, ".so") == 0;
}

static int discovery_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* `configured`: the path as the user wrote it; `path`: the resolved path. */
static int add_directory(struct scan *scan, const char *configured, const char *path,
			 bool needed)
{
	struct dirent **entries = NULL;
	struct error err = ERROR_NONE;
	struct stat st;
	const char *why;
	int n, status = MT_OK;

	if (stat(path, &st) != 0) {
		if (!needed && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return MT_OK;
		return discovery_add_place(scan, path, NULL, strerror(errno));
	}
	why = trusted_file(&st);
	if (!why && trusted_way(configured, &err))
		why = err.text;
	if (why)
		return discovery_add_place(scan, path, NULL, why);
	n = scandir(path, &entries, is_plugin, discovery_by_name);
	if (n < 0)
		return discovery_add_place(scan, path, NULL, strerror(errno));
	for (int i = 0; i < n; i++) {
		AUTO(free) char *file = path_join(path, entries[i]->d_name);

		if (!status)
			status = file ? discovery_add_file(scan, file) : MT_ENOMEM;
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int discovery_add_configured(struct scan *scan, const char *list)
{
	const char *item;
	size_t len;
	int status = MT_OK;

	while (!status && list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *text = strndup(item, len), *real = NULL;
		AUTO(free) char *path = text ? path_expand(text) : NULL;

		if (!path)
			return MT_ENOMEM;
		real = realpath(path, NULL);
		status = add_directory(scan, path, real ? real : path, true);
	}
	return status;
}

static int add_standard(struct scan *scan)
{
	static const char *const directories[] = {
		"~/.local/lib/mortise/plugins",
		"/usr/local/lib/mortise/plugins",
		PLUGIN_DIR,
	};
	const char *builtin = getenv("MORTISE_BUILTIN_PLUGINS");
	int status = MT_OK;

	if (builtin && strcmp(builtin, "no") == 0)
		return MT_OK;
	for (size_t i = 0; i < ARRAY_LEN(directories) && !status; i++) {
		AUTO(free) char *path = path_expand(directories[i]);

		if (i == 2 && strcmp(directories[1], directories[2]) == 0)
			break;
		if (!path)
			return MT_ENOMEM;
		if (*path == '/')
			status = add_directory(scan, path, path, false);
	}
	return status;
}

/* ---- the cache and new files ---------------------------------------------------- */

static int recall(struct scan *scan, struct place *place)
{
	static const char fatal[] =
		"Mortise ended twice while this file was checked; remove it if it was the "
		"cause, or wait a minute";
	json_object *known = cache_find(&scan->cache, place->path, &place->st);

	if (!known && cache_is_fatal(&scan->cache, place->path, &place->st)) {
		cache_put(&scan->cache, place->path, &place->st, NULL, fatal,
			  RETRY_CRASHED);
		known = cache_find(&scan->cache, place->path, &place->st);
	}
	if (known && js_get(known, "refused")) {
		place->refusal = strdup(js_str(known, "refused", ""));
		return place->refusal ? MT_OK : MT_ENOMEM;
	}
	if (known && is_description(js_get(known, "plugin")))
		place->plugin = json_object_get(js_get(known, "plugin"));
	else
		place->fresh = true;
	return MT_OK;
}

static int discovery_take_answer(struct place *place, struct probe *probe)
{
	if (probe->plugin && !is_description(probe->plugin)) {
		json_object_put(probe->plugin);
		probe->plugin = NULL;
		fail(&probe->why, MT_EINVAL, "its description is malformed");
	}
	place->plugin = probe->plugin;
	place->retry_after = probe->retry_after;
	if (probe->plugin)
		return MT_OK;
	place->refusal = strdup(probe->why.text);
	return place->refusal && probe->why.code != MT_ENOMEM ? MT_OK : MT_ENOMEM;
}

/* Results are cached even if memory runs out for one of them. */
static int probe_fresh(struct scan *scan, struct place **fresh, size_t count)
{
	AUTO(free) struct probe *probes = calloc(count, sizeof *probes);
	int status = MT_OK;

	if (!probes)
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++)
		probes[i].path = fresh[i]->path;
	probe_all(probes, count);
	for (size_t i = 0; i < count; i++) {
		struct place *p = fresh[i];
		int r = discovery_take_answer(p, &probes[i]);

		if (r)
			status = r;
		else if (p->retry_after == RETRY_NOW)
			cache_forget(&scan->cache, p->path);
		else
			cache_put(&scan->cache, p->path, &p->st, p->plugin, p->refusal,
				  p->retry_after);
	}
	return status;
}

static int look_at_all(struct scan *scan)
{
	AUTO(free) struct place **fresh = calloc(scan->count + 1, sizeof(struct place *));
	size_t count = 0;
	int status = fresh ? MT_OK : MT_ENOMEM;

	for (size_t i = 0; i < scan->count && !status; i++) {
		struct place *p = &scan->places[i];

		if (!p->refusal)
			status = recall(scan, p);
		if (!status && p->fresh && cache_begin(&scan->cache, p->path, &p->st))
			status = MT_ENOMEM;
		if (p->fresh)
			fresh[count++] = p;
	}
	if (status || !count)
		return status;
	cache_write(&scan->cache);
	return probe_fresh(scan, fresh, count);
}

static int register_all(struct registry *r, const struct scan *scan)
{
	int status = MT_OK;

	for (size_t i = 0; i < scan->count && !status; i++) {
		const struct place *p = &scan->places[i];

		status = p->refusal ? registry_refuse(r, p->path, 0, NULL, p->refusal)
				    : add_plugin(r, p->plugin, p->path, &p->st);
	}
	return status;
}

static void scan_clear(struct scan *scan)
{
	for (size_t i = 0; i < scan->count; i++) {
		free(scan->places[i].path);
		free(scan->places[i].refusal);
		json_object_put(scan->places[i].plugin);
	}
	free(scan->places);
	cache_close(&scan->cache);
}

/* The directory `plugins` of the tree that contains this program, with links resolved;
 * NULL: none. `below`: the part of the program's path that follows that tree; its last
 * occurrence counts. */
static char *built_with(const char *below)
{
	AUTO(free) char *self = realpath("/proc/self/exe", NULL), *plugins = NULL;
	char *end = NULL;

	for (char *at = self; at && (at = strstr(at, below)); at++)
		end = at;
	if (!end)
		return NULL;
	*end = '\0';
	plugins = path_join(self, "plugins");
	return plugins ? realpath(plugins, NULL) : NULL;
}

/* True if the file is in a directory of built-in plugins. The directories are resolved
 * once. */
static bool is_own(const struct component *c)
{
	static char *own[4];
	static bool known;
	AUTO(free) char *path = realpath(c->path, NULL);

	if (!known) {
		errno = 0;
		own[0] = own[0] ?: realpath(PLUGIN_DIR, NULL);
		own[1] = own[1] ?: built_with("/");
		own[2] = own[2] ?: built_with("/tests/");
		own[3] = own[3] ?: built_with("/bench/");
		known = errno != ENOMEM;
	}
	for (size_t i = 0; path && i < ARRAY_LEN(own); i++) {
		size_t len = own[i] ? strlen(own[i]) : 0;

		if (len > 1 && strncmp(path, own[i], len) == 0 && path[len] == '/')
			return true;
	}
	return false;
}

bool component_is_own(const struct component *c)
{
	if (!c->own)
		((struct component *)c)->own = is_own(c) ? 1 : -1;
	return c->own > 0;
}

static bool refusal_is_of(const struct refusal *refused, int kind, const char *name)
{
	const char *file = strrchr(refused->path, '/');
	size_t len = strlen(name);

	if (refused->name)
		return (!kind || !refused->kind || refused->kind == kind) &&
		       strcmp(refused->name, name) == 0;
	file = file ? file + 1 : refused->path;
	return strncmp(file, name, len) == 0 && strcmp(file + len, ".so") == 0;
}

const struct refusal *registry_refused(const struct registry *r, int kind,
				       const char *name)
{
	for (size_t i = 0; i < r->refusal_count; i++)
		if (refusal_is_of(&r->refusals[i], kind, name))
			return &r->refusals[i];
	return NULL;
}

struct wirable {
	const struct config *c;
	const struct registry *r;
};

/* True if a controller can use this. A rejected file is reported when it is needed. */
static bool is_wirable(const char *key, const char *item, void *arg)
{
	const struct wirable *w = arg;
	int kind = strcmp(key, "condensers") == 0  ? MT_KIND_CONDENSER
		   : strcmp(key, "analyzers") == 0 ? MT_KIND_ANALYZER
						   : MT_KIND_TOOL;
	AUTO(strbuf) struct strbuf section = STRBUF(256), server = STRBUF(256);
	const char *plugin = item;

	if (strbuf_addf(&section, "%s.%s", kind_name(kind), item) ||
	    strbuf_addf(&server, "mcp.%s", item))
		return true;
	if (config_has(w->c, section.text))
		plugin = config_plugin(w->c, section.text);
	if (registry_find(w->r, kind, plugin) || registry_refused(w->r, kind, plugin))
		return true;
	return kind == MT_KIND_TOOL &&
	       (registry_find_toolset(w->r, item) || config_has(w->c, server.text) ||
		strcmp(item, "mcp") == 0 || strncmp(item, "mcp.", 4) == 0);
}

int registry_open(struct config *c, struct registry **ret, struct error *err)
{
	AUTO(registry) struct registry *r = calloc(1, sizeof *r);
	struct scan scan = { 0 };
	int status = r ? MT_OK : MT_ENOMEM;

	cache_open(&scan.cache);
	if (!status)
		status = discovery_add_configured(&scan,
						  config_get(c, "core", "plugin_path"));
	if (!status)
		status = add_standard(&scan);
	if (!status)
		status = look_at_all(&scan);
	if (!status)
		status = register_all(r, &scan);
	if (!status)
		status = names_settle(r);
	if (!status)
		status = providers_settle(r);
	scan_clear(&scan);
	if (status)
		return out_of_memory(err);
	config_drop_leftovers(c, is_wirable, &(struct wirable){ c, r });
	*ret = STEAL(r);
	return MT_OK;
}

int registry_add_file(struct registry *r, const char *path, struct error *err)
{
	AUTO(json) json_object *plugin = NULL;
	struct stat st;

	if (registry_probe(path, &plugin, err))
		return err->code;
	if (!is_description(plugin))
		return fail(err, MT_EINVAL, "its description is malformed");
	if (stat(path, &st) != 0)
		return fail(err, MT_EIO, "%s", strerror(errno));
	return add_plugin(r, plugin, path, &st) ? out_of_memory(err) : MT_OK;
}
