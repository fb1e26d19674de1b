/* SPDX-License-Identifier: MIT
 *
 * loader.c - opens a plugin file in its worker. */
#include "loader.h"
#include <dlfcn.h>
#include <string.h>

enum { COMPONENTS_MAX = 256, TOOLS_MAX = 512 };

typedef const struct mt_plugin *entry_fn(void);

static int check(const char *path, const struct mt_plugin *p, struct error *err)
{
	if (!p || !MT_HAS(p, abi_minor))
		return fail(err, MT_EINVAL, "%s: %s returned no description", path,
			    MT_PLUGIN_SYMBOL);
	if (p->abi_major != MT_ABI_MAJOR || p->abi_minor > MT_ABI_MINOR)
		return fail(
			err, MT_EUNSUPPORTED,
			"%s: built for plugin ABI %u.%u, but this runner has %u.%u; update "
			"mortise",
			path, p->abi_major, p->abi_minor, MT_ABI_MAJOR, MT_ABI_MINOR);
	if (p->size < MT_PLUGIN_SIZE_1_0)
		return fail(err, MT_EINVAL, "%s: its description is truncated (size %u)",
			    path, p->size);
	if (p->needs)
		return fail(err, MT_EUNSUPPORTED,
			    "%s: requires features that this runner does not have "
			    "(0x%llx); update mortise",
			    path, (unsigned long long)p->needs);
	if (!p->name || (p->component_count && !p->components))
		return fail(err, MT_EINVAL, "%s: descriptor has no name or no components",
			    path);
	if (p->component_count > COMPONENTS_MAX)
		return fail(err, MT_EINVAL,
			    "%s: %u components, but at most %d are allowed", path,
			    p->component_count, COMPONENTS_MAX);
	return MT_OK;
}

/* The text of dlerror starts with the path, which the sentence already contains. */
static const char *loader_reason_of(const char *path, const char *text)
{
	size_t len = strlen(path);

	if (!text)
		return "cannot be loaded";
	if (strncmp(text, path, len) == 0 && text[len] == ':')
		return text + len + 1 + strspn(text + len + 1, " ");
	return text;
}

int loader_open(const char *path, const struct mt_plugin **ret, struct error *err)
{
	const struct mt_plugin *plugin;
	entry_fn *entry;
	void *file;
	int status;

	/* Without a slash dlopen would search the system's libraries. */
	if (!strchr(path, '/'))
		return fail(err, MT_EINVAL, "%s: plugin path must be absolute", path);
	file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!file)
		return fail(err, MT_EINVAL, "%s: not a plugin: %s", path,
			    loader_reason_of(path, dlerror()));
	*(void **)&entry = dlsym(file, MT_PLUGIN_SYMBOL);
	if (!entry)
		return fail(err, MT_EUNSUPPORTED,
			    "%s: not a mortise plugin: it has no %s", path,
			    MT_PLUGIN_SYMBOL);
	plugin = entry();
	status = check(path, plugin, err);
	if (!status)
		*ret = plugin;
	return status;
}

static int check_component(const struct mt_component *c, const char *path,
			   const char *name, struct error *err)
{
	const struct mt_toolset *set = c->functions;

	if (c->version_major != MT_TOOL_MAJOR || c->version_minor > MT_TOOL_MINOR)
		return fail(
			err, MT_EUNSUPPORTED,
			"%s: tool `%s` is built for tool ABI %u.%u, but this runner has "
			"%u.%u; update mortise",
			path, name, c->version_major, c->version_minor, MT_TOOL_MAJOR,
			MT_TOOL_MINOR);
	if (!set || set->size < MT_TOOLSET_SIZE_1_0)
		return fail(err, MT_EINVAL,
			    "%s: toolset `%s` has no functions or an invalid size", path,
			    name);
	if (set->tool_count > TOOLS_MAX || (set->tool_count && !set->tools))
		return fail(err, MT_EINVAL,
			    "%s: `%s` declares %u tools without a table, or more "
			    "than %d",
			    path, name, set->tool_count, TOOLS_MAX);
	if (set->tool_count && set->tools->size < MT_TOOL_SIZE_1_0)
		return fail(err, MT_EINVAL,
			    "%s: the tools of `%s` have an invalid size (%u)", path, name,
			    set->tools->size);
	return MT_OK;
}

int loader_toolset(const struct mt_plugin *plugin, const char *path,
		   const char *component, const struct mt_component **ret,
		   const struct mt_toolset **ret_set, struct error *err)
{
	const char *at = (const char *)plugin->components;

	for (uint32_t n = 0; n < plugin->component_count; n++) {
		const struct mt_component *c =
			(const void *)(at + n * plugin->components->size);

		if (!MT_HAS(c, functions))
			return fail(err, MT_EINVAL,
				    "%s: component %u has an invalid size", path, n);
		if (c->kind != MT_KIND_TOOL || !c->name ||
		    strcmp(c->name, component) != 0)
			continue;
		*ret = c;
		*ret_set = c->functions;
		return check_component(c, path, component, err);
	}
	return fail(err, MT_ENOTFOUND, "%s: unknown toolset `%s`", path, component);
}

const struct mt_tool *loader_toolset_tool(const struct mt_toolset *set, size_t n)
{
	return (const void *)((const char *)set->tools + n * set->tools->size);
}

tool_function *loader_tool_preview(const struct mt_tool *tool)
{
	return MT_HAS(tool, preview) ? tool->preview : NULL;
}
