/* SPDX-License-Identifier: MIT
 *
 * bundle.c - `mortise bundle`: makes the directory that runs tools on other machines. */
#include "bundle.h"

#include "array.h"
#include "commands.h"
#include "registry/registry.h"

#include <string.h>

struct arguments {
	struct common common;
};

int bundle_plugins_add(struct bundle_plugins *p, const char *path, struct error *err)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->paths[i], path) == 0)
			return MT_OK;
	if (p->count == ARRAY_LEN(p->paths))
		return fail(err, MT_ELIMIT, "over %zu plugins with tools are installed",
			    ARRAY_LEN(p->paths));
	p->paths[p->count] = strdup(path);
	return p->paths[p->count] ? (p->count++, MT_OK) : out_of_memory(err);
}

int bundle_plugins_installed(const struct registry *r, struct bundle_plugins *p,
			     struct error *err)
{
	const struct component *c;
	int status = MT_OK;

	for (size_t n = 0; !status && (c = registry_any(r, n)); n++)
		if (c->kind == MT_KIND_TOOL)
			status = bundle_plugins_add(p, c->path, err);
	return status;
}

void bundle_plugins_clear(struct bundle_plugins *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->paths[i]);
	p->count = 0;
}

static int cli_bundle_make(const struct common *common, struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	AUTO(bundle_plugins) struct bundle_plugins plugins = { 0 };
	AUTO(bundle) struct bundle b = { 0 };

	if (common_config(common, &config, err) ||
	    registry_open(config, &registry, err) ||
	    bundle_plugins_installed(registry, &plugins, err) ||
	    bundle_make(config_get(config, "core", "runner"),
			(const char *const *)plugins.paths, plugins.count, &b, err))
		return command_report(EXIT_FAILED, err);
	puts(b.path);
	return EXIT_DONE;
}

static int cli_bundle_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	struct error err = ERROR_NONE;
	int index;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (index < argc)
		return command_unexpected(self, argv[index]);
	return cli_bundle_make(&a.common, &err);
}

const struct command command_bundle = {
	.name = "bundle",
	.summary = "Create a runner for containers and other hosts",
	.details = "Prints its path. It contains the runner, all plugins with tools, their\n"
		   "libraries, the loader, and bash. It is named by a hash of its contents.",
	.run = cli_bundle_run,
};
