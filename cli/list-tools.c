/* SPDX-License-Identifier: MIT
 *
 * list-tools.c - lets toolsets list their tools at run time, for a command. */
#include "list-tools.h"

#include "commands.h"
#include "spool.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "log.h"
#include "runner-client/runner-connection.h"
#include "tools/option-secrets.h"

#include <errno.h>
#include <string.h>

enum { LIST_MS = 10000 };

struct listing {
	struct catalog *catalog;
	struct runner *link;
	uv_timer_t timer;
};

static void list_tools_end(struct listing *l)
{
	if (uv_is_closing((uv_handle_t *)&l->timer))
		return;
	uv_close((uv_handle_t *)&l->timer, NULL);
	if (l->link)
		runner_close(l->link);
}

static void on_timeout(uv_timer_t *timer)
{
	list_tools_end(timer->data);
}

static void list_tools_on_ready(void *arg)
{
	struct listing *l = arg;

	for (size_t i = 0; i < l->catalog->instance_count; i++)
		if (l->catalog->instances[i].dynamic)
			runner_list(l->link, l->catalog->instances[i].name, NULL);
}

static void list_tools_on_tools(void *arg, const char *instance, json_object *tools,
				const char *why)
{
	struct listing *l = arg;

	if (why)
		log_line(MT_LOG_WARNING, instance, "its tools could not be listed: %s",
			 why);
	catalog_arrived(l->catalog, instance, tools);
	if (!catalog_is_awaited(l->catalog))
		list_tools_end(l);
}

static void list_tools_on_closed(void *arg, const struct error *why)
{
	struct listing *l = arg;

	(void)why;
	l->link = NULL;
	list_tools_end(l);
}

static const struct runner_events events = {
	.ready = list_tools_on_ready, .tools = list_tools_on_tools,
	.log = runner_write_log, .closed = list_tools_on_closed };

static int wait_for_lists(struct launch *launch, struct catalog *catalog,
			  struct error *err)
{
	struct listing l = { .catalog = catalog };
	int r = launch_runner(launch, &events, &l, &l.link, err);

	if (r)
		return r;
	uv_timer_init(launch->loop, &l.timer);
	l.timer.data = &l;
	uv_timer_start(&l.timer, on_timeout, LIST_MS, 0);
	uv_run(launch->loop, UV_RUN_DEFAULT);
	catalog_renew(catalog);
	return MT_OK;
}

int list_tools(const struct list_tools *o, struct error *err)
{
	const struct catalog *catalogs[] = { o->catalog };
	AUTO(mask) struct mask *mask = mask_new();
	struct plugin_component runtime = { 0 };
	char workspace[PATH_MAX], spool[PATH_MAX];
	struct launch l = { .config = o->config, .runtime = &runtime,
			    .catalogs = catalogs, .catalog_count = 1,
			    .workspace = workspace, .conversation = "list",
			    .spool_dir = spool, .mask = mask, .stderr_fd = -1 };
	int r;

	if (!catalog_is_awaited(o->catalog))
		return MT_OK;
	l.loop = command_loop(err);
	if (!l.loop)
		return err->code;
	if (!mask)
		return out_of_memory(err);
	if (option_secrets_hide(o->config, o->registry, mask, err))
		return err->code;
	if (!realpath(o->workspace ? o->workspace : ".", workspace))
		return fail(err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
	if (command_spool_open("mortise-list", spool, sizeof spool, err))
		return err->code;
	r = plugin_component_load(o->config, o->registry, MT_KIND_RUNTIME,
				  config_get(o->config, o->section, "runtime"), &runtime,
				  err);
	log_set_mask(mask);
	if (!r)
		r = wait_for_lists(&l, o->catalog, err);
	log_set_mask(NULL);
	plugin_component_clear(&runtime);
	command_spool_close();
	return r;
}
