/* SPDX-License-Identifier: MIT
 *
 * launch.c - queries a runtime for the command that starts a runner, and starts it. */
#include "controller/plugins/launch.h"

#include "array.h"
#include "config/choices.h"
#include "config/config.h"
#include "config/environment.h"
#include "controller/plugins/plugin-host.h"
#include "files.h"
#include "log.h"
#include "tools/catalog.h"
#include "tools/mcp-servers.h"
#include "overlay/overlay.h"
#include "runner-client/runner-connection.h"
#include "sandbox/profile.h"
#include "utf8.h"

#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>
#include <mortise/tool.h>

#include <string.h>

static const char *out_wanted(struct mt_ctx *x, const char *name)
{
	if (!name)
		return NULL;
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
	if (!text)
		return fail(&x->error, MT_EINVAL, "argument %zu of the runner is NULL",
			    x->argc);
	return plugin_launch_append(&x->argv, &x->argc, strdup(text));
}

static int out_env(struct mt_ctx *x, const char *name, const char *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 17);

	if (!name || !value)
		return fail(&x->error, MT_EINVAL, "an environment variable has no %s",
			    name ? "value" : "name");
	if (!*name || strchr(name, '='))
		return fail(&x->error, MT_EINVAL,
			    "`%.100s` is not a valid name of an environment variable",
			    name);
	if (strbuf_addf(&text, "%s=%s", name, value))
		return fail(&x->error, MT_ELIMIT,
			    "the environment variable %.100s is longer than %zu bytes",
			    name, text.max);
	return plugin_launch_append(&x->env, &x->envc, strbuf_take(&text));
}

static int plugin_launch_out_workspace(struct mt_ctx *x, const char *path)
{
	if (!path)
		return fail(&x->error, MT_EINVAL, "the path of the workspace is NULL");
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
	struct mt_ctx *x = arg;
	int r = out_env(x, name, value);

	x->error = ERROR_NONE; /* a variable that cannot be passed is left out */
	return r == MT_ENOMEM ? MT_ENOMEM : MT_OK;
}

typedef int permission_fn(const char *kind, const char *what, void *arg);

/* Permissions that the plugins of the tools declare and that the user has granted. */
static int each_granted(const struct launch *l, permission_fn *each, void *arg)
{
	int status = MT_OK;

	for (size_t i = 0; i < l->catalog_count; i++)
		for (size_t k = 0; k < l->catalogs[i]->instance_count; k++) {
			const struct tool_instance *t = &l->catalogs[i]->instances[k];
			json_object *all = t->server ? NULL : t->component->permissions;

			for (size_t n = 0; !status && n < js_length(all); n++) {
				json_object *p = json_object_array_get_idx(all, n);
				const char *kind = js_str(p, "kind", "");
				const char *what = js_str(p, "what", "");

				if (config_grants_permission(l->config, t->name, kind,
							     what))
					status = each(kind, what, arg);
			}
		}
	return status;
}

struct granted {
	struct mask *mask;
	environment_each_fn *pass;
	void *arg;
};

static int pass_granted(const char *kind, const char *what, void *arg)
{
	const char *value = strcmp(kind, "environment") == 0 ? secret_env(what) : NULL;
	const struct granted *g = arg;

	if (!value)
		return MT_OK;
	if (g->mask && secret_named(what, strlen(what)) &&
	    secret_hide(g->mask, what, value, strlen(value), NULL))
		return MT_ENOMEM;
	return g->pass(g->arg, what, value);
}

static int each_granted_variable(const struct launch *l, environment_each_fn *pass,
				 void *arg)
{
	struct granted g = { l->mask, pass, arg };

	return each_granted(l, pass_granted, &g);
}

/* The base environment of every runner. */
static int base_env(struct mt_ctx *x)
{
	int r = environment_each(x->launch->config, pass_variable, x);

	if (!r)
		r = each_granted_variable(x->launch, pass_variable, x);
	if (r || getenv("PATH"))
		return r;
	return out_env(x, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

/* The hello is text. */
static int send_variable(void *arg, const char *name, const char *value)
{
	return utf8_valid(value, strlen(value)) ? js_set_str(arg, name, value) : MT_OK;
}

/* The variables of tools, if the runner does not inherit its environment. *ret NULL: it
 * does. */
static int launch_make_environment(const struct launch *l, json_object **ret,
				   struct error *err)
{
	const struct mt_runtime *runtime = l->runtime->functions;
	json_object *o;

	*ret = NULL;
	if (runtime->flags & MT_RUNTIME_HOST_MOUNTS)
		return MT_OK;
	*ret = o = js_new_object();
	if (js_incomplete(o) || environment_each_elsewhere(l->config, send_variable, o) ||
	    each_granted_variable(l, send_variable, o))
		return out_of_memory(err);
	return MT_OK;
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

/* Mask values of a server whose names mark them as secrets. */
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

/* Servers of other hosts, with their tokens, are outside of the sandbox: according to the
 * options with which they run, because a file that names them may change. */
static bool is_outside(const struct tool_instance *t, json_object *options)
{
	return t->server && (!options || js_get(options, "url"));
}

static bool may_create_namespaces(const struct component *c)
{
	for (size_t i = 0; i < js_length(c->permissions); i++)
		if (strcmp(js_str(json_object_array_get_idx(c->permissions, i), "kind",
				  ""),
			   "namespaces") == 0)
			return component_is_own(c);
	return false;
}

/* `values` keeps what options are made for the line. */
static void add_instances(struct mask *mask, const struct catalog *catalog,
			  struct runner_instance *list, json_object *values,
			  size_t *count)
{
	for (size_t i = 0; i < catalog->instance_count; i++) {
		const struct tool_instance *t = &catalog->instances[i];
		json_object *options;

		if (!(t->dynamic || has_work(catalog, i)) ||
		    is_there(list, *count, t->name))
			continue;
		options = options_of(mask, t, values);
		list[(*count)++] = (struct runner_instance){
			.name = t->name,
			.component = t->component->name,
			.plugin = t->component->path,
			.options = options,
			.secrets = (const char *const *)t->secrets,
			.alone = t->alone,
			.outside = is_outside(t, options),
			.namespaces = may_create_namespaces(t->component),
		};
	}
}

/* List the instances that have something to run. */
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

/* What the plugins themselves need. */
static int allow_plugins(struct sandbox_rules *r, const struct runner_instance *list,
			 size_t count)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < count; i++) {
		AUTO(free) char *directory = strdup(list[i].plugin);

		if (!directory)
			return MT_ENOMEM;
		if (strrchr(directory, '/'))
			*strrchr(directory, '/') = '\0';
		status = sandbox_path_add(&r->read, directory);
	}
	return status;
}

/* Opens what an item of a list of the rules names. */
static int open_path(char ***list, const char *what)
{
	AUTO(free) char *path = path_expand(what);
	AUTO(free) char *real = path ? realpath(path, NULL) : NULL;

	if (!path)
		return MT_ENOMEM;
	return real ? sandbox_path_add(list, real) : MT_OK;
}

static int open_permission(const char *kind, const char *what, void *arg)
{
	struct sandbox_rules *r = arg;
	json_object *hosts = js_get(r->proxy, "hosts");

	if (strcmp(kind, "read") == 0)
		return open_path(&r->read, what);
	if (strcmp(kind, "write") == 0)
		return open_path(&r->write, what);
	if (strcmp(kind, "host") == 0 && hosts)
		return js_add(hosts, json_object_new_string(what));
	return MT_OK;
}

/* *ret NULL: the configuration wants no sandbox. */
static int make_rules(const struct launch *l, const struct runner_spec *spec,
		      json_object **ret, struct error *err)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	int r;

	*ret = NULL;
	if (!sandbox_wanted(l->config))
		return MT_OK;
	r = sandbox_profile_rules(l->config, l->workspace, &rules, err);
	if (!r)
		r = sandbox_profile_covers(l->config, l->workspace, &rules, err);
	if (r == MT_ELIMIT && rules.cover && !rules.required) {
		log_line(MT_LOG_WARNING, "sandbox", "%s", err->text);
		*err = (struct error)ERROR_NONE;
		r = MT_OK;
	}
	if (!r && l->overlay && !(rules.overlay = strdup(l->overlay->dir)))
		r = out_of_memory(err);
	if (!r && l->parent_spool && sandbox_path_add(&rules.read, l->parent_spool))
		r = out_of_memory(err);
	if (!r && !l->isolated && each_granted(l, open_permission, &rules))
		r = out_of_memory(err);
	if (!r && allow_plugins(&rules, spec->instances, spec->instance_count))
		r = out_of_memory(err);
	if (r)
		return r;
	*ret = sandbox_rules_json(&rules);
	return js_failed(*ret) ? out_of_memory(err) : MT_OK;
}

/* [limits]; those without a default are a share of what the runner's machine has. */
static void launch_read_limits(const struct config *c, struct runner_limits *ret)
{
	*ret = (struct runner_limits){
		.memory = config_get(c, "limits", "memory")
				  ? config_int(c, "limits", "memory")
				  : -1,
		.processes = config_int(c, "limits", "processes"),
		.open_files = config_int(c, "limits", "open_files"),
		.cpu_ms = config_int(c, "limits", "cpu_time"),
		.wall_ms = config_int(c, "limits", "wall_time"),
		.output_max = config_int(c, "limits", "output"),
		.disk_written = config_get(c, "limits", "disk_written")
					? config_int(c, "limits", "disk_written")
					: -1,
		.no_cgroups = config_choice(c, "limits", "cgroups") == CGROUPS_NO,
	};
}

char *launch_workspace(const struct launch *l)
{
	struct mt_ctx x = { .part = l->runtime, .launch = l };
	char *path = NULL;

	/* launch_runner reports why a runtime cannot start. */
	if (ask_runtime(&x, NULL) == MT_OK && x.workspace) {
		path = x.workspace;
		x.workspace = NULL;
	}
	plugin_ctx_clear(&x);
	return path ? path : strdup(l->workspace);
}

int launch_runner(const struct launch *l, const struct runner_events *events, void *arg,
		  struct runner **ret, struct error *err)
{
	struct mt_ctx x = { .part = l->runtime, .launch = l };
	AUTO(free) struct runner_instance *list = NULL;
	AUTO(json) json_object *values = NULL;
	AUTO(json) json_object *rules = NULL, *environment = NULL;
	struct runner_spec spec = { .conversation = l->conversation, .stderr_fd = l->stderr_fd,
				  .stderr_path = l->stderr_path,
				  .spool_dir = l->spool_dir, .state_dir = l->state_dir };
	AUTO(free) char *user_dir = l->isolated ? NULL : user_directory();
	int r = ask_runtime(&x, err);

	spec.group = l->group;
	launch_read_limits(l->config, &spec.limits);
	list = instances(l, &values, &spec.instance_count);
	if (!r && (!list || !values))
		r = out_of_memory(err);
	if (!r)
		r = launch_make_environment(l, &environment, err);
	if (!r) {
		spec.argv = x.argv;
		spec.environment = environment;
		spec.env = x.env;
		spec.workspace = x.workspace ? x.workspace : l->workspace;
		spec.instances = list;
		spec.user_dir = user_dir;
		r = make_rules(l, &spec, &rules, err);
	}
	if (!r) {
		spec.sandbox = rules;
		spec.passes = l->overlay != NULL;
		if (l->overlay) {
			spec.pass[0] = l->overlay->user;
			spec.pass[1] = l->overlay->mount;
			spec.limits.overlay =
				config_int(l->config, "workspace", "overlay_disk");
		}
		r = runner_open(l->loop, &spec, events, arg, ret, err);
	}
	plugin_ctx_clear(&x);
	return r;
}
