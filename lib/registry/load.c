/* SPDX-License-Identifier: MIT
 *
 * load.c - loads the enabled plugins into this process; they are never unloaded. */
#include "registry/guard.h"
#include "registry/internal.h"
#include "array.h"
#include <errno.h>
#include <string.h>

static const struct mt_plugin *find_loaded(const struct registry *r, const char *path)
{
	for (size_t i = 0; i < r->loaded_count; i++)
		if (strcmp(r->loaded[i].path, path) == 0)
			return r->loaded[i].plugin;
	return NULL;
}

static int keep_loaded(struct registry *r, const char *path,
		       const struct mt_plugin *plugin)
{
	int status = ARRAY_ADD(r->loaded, r->loaded_count, ARRAY_MAX);

	if (status)
		return status;
	r->loaded[r->loaded_count] = (struct loaded){ strdup(path), plugin };
	if (!r->loaded[r->loaded_count].path)
		return MT_ENOMEM;
	r->loaded_count++;
	return MT_OK;
}

/* The file must still be the one that was probed. */
static int check_unchanged(const struct component *c, struct error *err)
{
	struct stat st;
	char key[96];

	if (stat(c->path, &st) != 0)
		return fail(err, MT_ENOTFOUND, "cannot open %s: %s", c->path,
			    strerror(errno));
	cache_key(&st, key, sizeof key);
	if (strcmp(key, c->key) != 0)
		return fail(err, MT_EINVAL,
			    "%s: changed since it was checked; run the command again",
			    c->path);
	return MT_OK;
}

const void *registry_load(struct registry *r, const struct component *c,
			  struct error *err)
{
	const struct mt_plugin *plugin = find_loaded(r, c->path);
	struct error why = ERROR_NONE;
	struct guard_call outer;
	int status;

	if (c->kind == MT_KIND_TOOL) {
		fail(err, MT_EINVAL,
		     "the tool `%s` can run only in a worker of the "
		     "runner",
		     c->name);
		return NULL;
	}
	if (!plugin) {
		if (check_unchanged(c, err))
			return NULL;
		outer = guard_enter(c, "a constructor");
		status = registry_open_file(c->path, &plugin, &why);
		guard_leave(outer);
		if (status) {
			fail(err, why.code, "%s: %s", c->path, why.text);
			return NULL;
		}
		if (keep_loaded(r, c->path, plugin)) {
			out_of_memory(err);
			return NULL;
		}
	}
	for (size_t i = 0; i < plugin->component_count; i++) {
		const struct mt_component *each = component_at(plugin, i);

		if (each->kind != c->kind || strcmp(each->name, c->name) != 0)
			continue;
		if (component_check(each, &why) == MT_OK)
			return each->functions;
		fail(err, why.code, "%s: %s", c->path, why.text);
		return NULL;
	}
	fail(err, MT_ENOTFOUND, "%s: no longer provides %s `%s`", c->path,
	     kind_name(c->kind), c->name);
	return NULL;
}
