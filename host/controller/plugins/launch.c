/* SPDX-License-Identifier: MIT
 *
 * launch.c - queries a runtime for the command that starts a runner, and starts it. */
#include "controller/plugins/launch.h"

#include "array.h"
#include "config/config.h"
#include "config/environment.h"
#include "controller/plugins/plugin-host.h"
#include "files.h"
#include "log.h"
#include "tools/catalog.h"
#include "tools/mcp-servers.h"
#include "runner-client/runner-connection.h"

#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>
#include <mortise/tool.h>

#include <string.h>

static const char *out_wanted(struct mt_ctx *x, const char *name)
{
	if (strcmp(name, "runner") == 0)
		return config_get(x->launch->config, "core", "runner");
	if (strcmp(name, "workspace") == 0)
		return x->launch->workspace;
	return strcmp(name, "conversation") == 0 ? x->launch->conversation : NULL;
}

static int plugin_launch_append(char ***list, size_t *count, char *text)
{
	if (!text || ARRAY_GROW(*list, NULL, *count + 2, ARRAY_MAX)) {
		free(text);
		return MT_ENOMEM;
	}
	(*list)[(*count)++] = text;
	(*list)[*count] = NULL;
	return MT_OK;
}

static int out_arg(struct mt_ctx *x, const char *text)
{
	return plugin_launch_append(&x->argv, &x->argc, strdup(text));
}

static int out_env(struct mt_ctx *x, const char *name, const char *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 17);

	if (strchr(name, '=') || strbuf_addf(&text, "%s=%s", name, value))
		return MT_EINVAL;
	return plugin_launch_append(&x->env, &x->envc, strbuf_take(&text));
}

static int plugin_launch_out_workspace(struct mt_ctx *x, const char *path)
{
	free(x->workspace);
	x->workspace = strdup(path);
	return x->workspace ? MT_OK : MT_ENOMEM;
}

static const struct mt_runtime_out runtime_out = {
	.size = sizeof runtime_out,
	.wanted = out_wanted,
	.arg = out_arg,
	.env = out_env,
	.workspace = plugin_launch_out_workspace,
};

static int pass_variable(void *arg, const char *name, const char *value)
{
	return out_env(arg, name, value) == MT_ENOMEM ? MT_ENOMEM : MT_OK;
}

/* The base environment of every runner. */
static int base_env(struct mt_ctx *x)
{
	int r = environment_each(x->launch->config, pass_variable, x);

	if (r || getenv("PATH"))
		return r;
	return out_env(x, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

static bool is_there(const struct runner_instance *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return true;
	return false;
}

static bool has_work(const struct catalog *catalog, size_t instance)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (catalog->tools[i].instance == instance &&
		    !(catalog->tools[i].hints & MT_TOOL_CONTROL))
			return true;
	return false;
}

/* Masks values of a server whose names mark them as secrets. */
static int hide_values(struct mask *mask, json_object *options, struct error *err)
{
	int status = MT_OK;

	if (!mask)
		return MT_OK;
	json_object_object_foreach(options, name, value) {
		const char *text = json_object_get_string(value), *last;
		bool header = strncmp(name, "header.", 7) == 0;

		if (status || !text || !json_object_is_type(value, json_type_string) ||
		    !(header || strncmp(name, "env.", 4) == 0 ||
		      strcmp(name, "client_secret") == 0) ||
		    !secret_named(name, strlen(name)))
			continue;
		last = header ? strrchr(text, ' ') : NULL; /* the x of "Bearer x" */
		text = last ? last + 1 : text;
		status = secret_hide(mask, name, text, strlen(text), err);
	}
	return status;
}

/* The options of a server, with the values of environment variables. The runner reports
 * an invalid configuration; other servers are not affected. */
static json_object *options_of(struct mask *mask, const struct tool_instance *t,
			       json_object *values)
{
	json_object *options = NULL;
	struct error err = ERROR_NONE;

	if (!t->server)
		return t->options;
	if (mcp_server_options(t->title, t->options, &options, &err) ||
	    js_set(values, t->name, options) || hide_values(mask, options, &err)) {
		log_line(MT_LOG_ERROR, t->name, "%s", error_text(&err));
		return NULL;
	}
	return options;
}

/* `values` keeps what options are made for the line. */
static void add_instances(struct mask *mask, const struct catalog *catalog,
			  struct runner_instance *list, json_object *values,
			  size_t *count)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		const struct tool_instance *t = &catalog->instances[i];

		if (!(t->dynamic || has_work(catalog, i)) ||
		    is_there(list, *count, t->name))
			continue;
		list[(*count)++] = (struct runner_instance){
			.name = t->name,
			.component = t->component->name,
			.plugin = t->component->path,
			.options = options_of(mask, t, values),
			.secrets = (const char *const *)t->secrets,
			.alone = t->alone,
		};
	}
}

/* Lists the instances that have something to run. */
static struct runner_instance *instances(const struct launch *l, json_object **ret_values,
					 size_t *ret_count)
{
	struct runner_instance *list;
	size_t room = 1;

	*ret_count = 0;
	for (size_t i = 0; i < l->catalog_count; i++)
		room += l->catalogs[i]->instance_count;
	list = calloc(room, sizeof *list);
	*ret_values = json_object_new_object();
	for (size_t i = 0; list && i < l->catalog_count; i++)
		add_instances(l->mask, l->catalogs[i], list, *ret_values, ret_count);
	return list;
}

static int ask_runtime(struct mt_ctx *x, struct error *err)
{
	const struct mt_runtime *runtime = x->part->functions;
	const struct mt_in in = { .size = sizeof in, .what = MT_START };
	struct guard_call outer;
	int r = base_env(x);

	if (!r) {
		outer = plugin_component_enter(x->part, "launch");
		r = runtime->launch(plugin_host(), &runtime_out, x, &in);
		r = plugin_component_leave(x->part, "launch", outer, r, &x->error);
	}
	if (!r && x->argc)
		return MT_OK;
	return fail(err, r ? r : MT_EINVAL, "runtime %s: %s", x->part->component->name,
		    x->error.code ? x->error.text
		    : r           ? status_name(r)
				  : "it did not name a program");
}

/* The directory for plugin data that lives as long as the user's installation; NULL:
 * none. */
static char *user_directory(void)
{
	AUTO(free) char *data = NULL;

	return paths_xdg_dir("DATA", false, &data, NULL) ? NULL
							 : path_join(data, "plugin-data");
}

int launch_runner(const struct launch *l, const struct runner_events *events, void *arg,
		  struct runner **ret, struct error *err)
{
	struct mt_ctx x = { .part = l->runtime, .launch = l };
	AUTO(free) struct runner_instance *list = NULL;
	AUTO(json) json_object *values = NULL;
	struct runner_spec spec = { .conversation = l->conversation, .stderr_fd = l->stderr_fd,
				  .spool_dir = l->spool_dir, .state_dir = l->state_dir };
	AUTO(free) char *user_dir = user_directory();
	int r = ask_runtime(&x, err);

	list = instances(l, &values, &spec.instance_count);
	if (!r && (!list || !values))
		r = out_of_memory(err);
	if (!r) {
		spec.argv = x.argv;
		spec.env = x.env;
		spec.workspace = x.workspace ? x.workspace : l->workspace;
		spec.instances = list;
		spec.user_dir = user_dir;
		r = runner_open(l->loop, &spec, events, arg, ret, err);
	}
	plugin_ctx_clear(&x);
	return r;
}
