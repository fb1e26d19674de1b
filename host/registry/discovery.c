/* SPDX-License-Identifier: MIT
 *
 * discovery.c - scans the plugin directories and finds components. */
#include "files.h"
#include "registry/internal.h"
#include "array.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>

struct walk {
	struct registry *r;
	struct cache cache;
};

static int no_memory(struct error *err)
{
	return out_of_memory(err);
}

struct registry *registry_free(struct registry *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; i < r->component_count; i++) {
		struct component *c = &r->components[i];

		options_free((struct mt_option *)(uintptr_t)c->options, c->option_count);
		free((char *)(uintptr_t)c->path);
		free(c->key);
	}
	for (size_t i = 0; i < r->refusal_count; i++) {
		free((char *)(uintptr_t)r->refusals[i].path);
		free((char *)(uintptr_t)r->refusals[i].reason);
	}
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

static int refuse(struct registry *r, const char *path, const char *reason)
{
	int status = ARRAY_GROW(r->refusals, &r->refusal_room, r->refusal_count + 1,
				ARRAY_MAX);
	struct refusal *new;

	if (status)
		return status;
	new = &r->refusals[r->refusal_count];
	*new = (struct refusal){ strdup(path), strdup(reason) };
	if (!new->path || !new->reason) {
		free((char *)(uintptr_t) new->path);
		free((char *)(uintptr_t) new->reason);
		return MT_ENOMEM;
	}
	r->refusal_count++;
	return MT_OK;
}

/* ---- from descriptions to components ------------------------------------------- */

static int fill_component(struct component *c, json_object *plugin, json_object *o,
			  const char *path, const struct stat *st)
{
	struct mt_option *options = NULL;
	char key[96];
	int status;

	cache_key(st, key, sizeof key);
	*c = (struct component){
		.kind = kind_find(js_str(o, "kind", "")),
		.name = js_str(o, "name", ""),
		.summary = js_str(o, "summary", ""),
		.plugin = js_str(plugin, "name", ""),
		.version = js_str(plugin, "version", ""),
		.license = js_str(plugin, "license", ""),
		.version_major = (uint16_t)js_int(o, "major", 0),
		.version_minor = (uint16_t)js_int(o, "minor", 0),
		.data = js_get(o, "data"),
		.path = strdup(path),
		.key = strdup(key),
	};
	if (!c->path || !c->key)
		return MT_ENOMEM;
	if (json_object_array_length(js_get(o, "options")) == 0)
		return MT_OK;
	status =
		options_from_json(js_get(o, "options"), &options, &c->option_count, NULL);
	c->options = options;
	return status;
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
		return status;
	}
	r->component_count++;
	return MT_OK;
}

/* A description may come from a file: its form is checked, not trusted. */
static bool is_description(json_object *plugin)
{
	json_object *all = js_get(plugin, "components");

	if (!json_object_is_type(all, json_type_array) || !*js_str(plugin, "name", ""))
		return false;
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *o = json_object_array_get_idx(all, i);

		if (!kind_find(js_str(o, "kind", "")) || !*js_str(o, "name", "") ||
		    !json_object_is_type(js_get(o, "options"), json_type_array) ||
		    !json_object_is_type(js_get(o, "data"), json_type_object))
			return false;
	}
	return true;
}

static int add_plugin(struct registry *r, json_object *plugin, const char *path,
		      const struct stat *st)
{
	json_object *all = js_get(plugin, "components");
	int status = ARRAY_GROW(r->kept, &r->kept_room, r->kept_count + 1, ARRAY_MAX);

	if (status)
		return status;
	r->kept[r->kept_count++] = json_object_get(plugin);
	for (size_t i = 0; i < json_object_array_length(all) && !status; i++) {
		json_object *o = json_object_array_get_idx(all, i);
		const char *kind = js_str(o, "kind", ""), *name = js_str(o, "name", "");
		const struct component *first = registry_find(r, kind_find(kind), name);
		struct strbuf reason = STRBUF(8192);

		if (!first) {
			status = add_component(r, plugin, o, path, st);
			continue;
		}
		strbuf_addf(&reason, "%s `%s` is ignored because %s takes precedence",
			    kind, name, first->path);
		status = refuse(r, path, reason.text);
		strbuf_clear(&reason);
	}
	return status;
}

/* ---- files and folders ------------------------------------------------------------ */

/* Why a file or folder cannot be trusted; NULL: it can. */
static const char *unsafe(const struct stat *st)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "owned by another user; only plugins owned by you or root are "
		       "loaded";
	if (st->st_mode & 022)
		return "writable by other users; run chmod go-w on it";
	return NULL;
}

static int look_at(struct walk *w, const char *path, const struct stat *st,
		   struct error *err)
{
	AUTO(json) json_object *plugin = NULL;
	struct error why = ERROR_NONE;
	int retry_after = 0;
	int status = probe(path, &plugin, &retry_after, &why);

	if (!status && !is_description(plugin))
		status = fail(&why, MT_EINVAL, "its description is malformed");
	if (why.code == MT_ENOMEM)
		return no_memory(err);
	if (status) {
		if (retry_after != RETRY_NOW)
			cache_put(&w->cache, path, st, NULL, why.text, retry_after);
		return refuse(w->r, path, why.text) ? no_memory(err) : MT_OK;
	}
	cache_put(&w->cache, path, st, json_object_get(plugin), NULL, 0);
	return add_plugin(w->r, plugin, path, st) ? no_memory(err) : MT_OK;
}

static int visit_file(struct walk *w, const char *path, struct error *err)
{
	struct stat st;
	json_object *known;
	const char *why;
	int status;

	if (stat(path, &st) != 0)
		return refuse(w->r, path, strerror(errno)) ? no_memory(err) : MT_OK;
	why = S_ISREG(st.st_mode) ? unsafe(&st) : "not a regular file";
	if (why)
		return refuse(w->r, path, why) ? no_memory(err) : MT_OK;
	known = cache_find(&w->cache, path, &st);
	if (known && js_get(known, "refused"))
		status = refuse(w->r, path, js_str(known, "refused", ""));
	else if (known && is_description(js_get(known, "plugin")))
		status = add_plugin(w->r, js_get(known, "plugin"), path, &st);
	else
		return look_at(w, path, &st, err);
	return status ? no_memory(err) : MT_OK;
}

static int is_plugin(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 3 &&
	       strcmp(entry->d_name + len - 3, ".so") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visit_folder(struct walk *w, const char *folder, bool needed,
			struct error *err)
{
	struct dirent **entries = NULL;
	struct stat st;
	const char *why;
	int n, status = MT_OK;

	if (stat(folder, &st) != 0) {
		if (!needed && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return MT_OK;
		return refuse(w->r, folder, strerror(errno)) ? no_memory(err) : MT_OK;
	}
	why = unsafe(&st);
	if (why)
		return refuse(w->r, folder, why) ? no_memory(err) : MT_OK;
	n = scandir(folder, &entries, is_plugin, by_name);
	if (n < 0)
		return refuse(w->r, folder, strerror(errno)) ? no_memory(err) : MT_OK;
	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = path_join(folder, entries[i]->d_name);

		if (!status)
			status = path ? visit_file(w, path, err) : no_memory(err);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int visit_configured(struct walk *w, const char *list, struct error *err)
{
	const char *item;
	size_t len;
	int status = MT_OK;

	while (!status && list && list_next(&list, &item, &len)) {
		AUTO(free) char *text = strndup(item, len), *real = NULL;
		AUTO(free) char *path = text ? path_expand(text) : NULL;

		if (!path)
			return no_memory(err);
		real = realpath(path, NULL);
		status = visit_folder(w, real ? real : path, true, err);
	}
	return status;
}

static int visit_usual(struct walk *w, struct error *err)
{
	static const char *const folders[] = {
		"~/.local/lib/mortise/plugins",
		"/usr/local/lib/mortise/plugins",
		PLUGIN_DIR,
	};
	const char *builtin = getenv("MORTISE_BUILTIN_PLUGINS");
	int status = MT_OK;

	if (builtin && strcmp(builtin, "no") == 0)
		return MT_OK;
	for (size_t i = 0; i < ARRAY_LEN(folders) && !status; i++) {
		AUTO(free) char *path = path_expand(folders[i]);

		if (i == 2 && strcmp(folders[1], folders[2]) == 0)
			break;
		if (!path)
			return no_memory(err);
		if (*path == '/')
			status = visit_folder(w, path, false, err);
	}
	return status;
}

/* Is the file below this folder? The folder may be a link. */
static bool is_below(const char *path, const char *folder)
{
	AUTO(free) char *real = realpath(folder, NULL);
	size_t len = real ? strlen(real) : 0;

	return len > 1 && strncmp(path, real, len) == 0 && path[len] == '/';
}

bool component_is_own(const struct component *c)
{
	AUTO(free) char *path = realpath(c->path, NULL);
	AUTO(free) char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;
	AUTO(free) char *built = NULL;

	if (!path || !slash)
		return false;
	*slash = '\0';
	built = path_join(self, "plugins");
	return is_below(path, PLUGIN_DIR) || (built && is_below(path, built));
}

int registry_open(const struct config *c, struct registry **ret, struct error *err)
{
	AUTO(registry) struct registry *r = calloc(1, sizeof *r);
	struct walk w = { .r = r };
	int status;

	if (!r)
		return no_memory(err);
	cache_open(&w.cache);
	status = visit_configured(&w, config_get(c, "core", "plugin_path"), err);
	if (!status)
		status = visit_usual(&w, err);
	cache_close(&w.cache);
	if (!status)
		*ret = STEAL(r);
	return status;
}

/* ---- asking --------------------------------------------------------------------------
 */

const struct component *registry_find(const struct registry *r, int kind,
				      const char *name)
{
	for (size_t i = 0; i < r->component_count; i++)
		if (r->components[i].kind == kind &&
		    strcmp(r->components[i].name, name) == 0)
			return &r->components[i];
	return NULL;
}

const struct component *registry_at(const struct registry *r, size_t n)
{
	return n < r->component_count ? &r->components[n] : NULL;
}

const struct refusal *registry_refusal(const struct registry *r, size_t n)
{
	return n < r->refusal_count ? &r->refusals[n] : NULL;
}

/* The refusal of a file that bears this name. */
static const struct refusal *find_refusal(const struct registry *r, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < r->refusal_count; i++) {
		const char *file = strrchr(r->refusals[i].path, '/');

		file = file ? file + 1 : r->refusals[i].path;
		if (strncmp(file, name, len) == 0 && strcmp(file + len, ".so") == 0)
			return &r->refusals[i];
	}
	return NULL;
}

/* The refusal of a whole folder, where it may lie. */
static const struct refusal *refused_folder(const struct registry *r)
{
	for (size_t i = 0; i < r->refusal_count; i++) {
		size_t len = strlen(r->refusals[i].path);

		if (len < 3 || strcmp(r->refusals[i].path + len - 3, ".so") != 0)
			return &r->refusals[i];
	}
	return NULL;
}

const struct component *registry_need(const struct registry *r, int kind,
				      const char *name, struct error *err)
{
	const struct component *c = registry_find(r, kind, name);
	const struct refusal *refusal = c ? NULL : find_refusal(r, name);
	AUTO(free) const char **names = calloc(r->component_count + 1, sizeof *names);
	const char *near;
	size_t count = 0;

	if (c)
		return c;
	if (refusal) {
		fail(err, MT_EINVAL, "%s `%s` was rejected: %s: %s", kind_name(kind),
		     name, refusal->path, refusal->reason);
		return NULL;
	}
	for (size_t i = 0; names && i < r->component_count; i++)
		if (r->components[i].kind == kind)
			names[count++] = r->components[i].name;
	refusal = refused_folder(r);
	near = names ? suggest(name, names, count) : NULL;
	if (near)
		fail(err, MT_ENOTFOUND, "unknown %s `%.80s`; did you mean `%s`?",
		     kind_name(kind), name, near);
	else if (refusal)
		fail(err, MT_ENOTFOUND, "unknown %s `%.80s` (%s was not loaded: %s)",
		     kind_name(kind), name, refusal->path, refusal->reason);
	else
		fail(err, MT_ENOTFOUND,
		     "unknown %s `%.80s`; `mortise plugins` lists the "
		     "installed ones",
		     kind_name(kind), name);
	return NULL;
}
