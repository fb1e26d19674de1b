/* SPDX-License-Identifier: MIT
 *
 * launch.h - starts a runner with a runtime, for a conversation or for one call from
 * the command line. */
#ifndef HOST_CONTROLLER_PLUGINS_LAUNCH_H
#define HOST_CONTROLLER_PLUGINS_LAUNCH_H

#include "config/config.h"
#include "controller/plugins/plugin-component.h"
#include "tools/catalog.h"

struct overlay;

struct launch {
	struct mask *mask;         /* values for servers are added to it; may be NULL */
	uv_loop_t *loop;
	const struct config *config;
	const struct plugin_component *runtime;
	const struct catalog *const *catalogs; /* their instances are started, each once */
	size_t catalog_count;
	const char *workspace, *conversation, *spool_dir;
	const char *group;         /* ancestors of the conversation and itself:
	                              "PARENT/CHILD"; NULL: no ancestors */
	const char *state_dir;     /* directory of instances that lives as long as the
	                              conversation; NULL: none */
	const char *parent_spool;  /* output of a conversation that this one continues, which
	                              tools may read; NULL: none */
	const struct overlay *overlay; /* of the workspace; NULL: none */
	bool isolated;             /* without the data of the installation, and what plugins
				    * are granted */
	int stderr_fd;
	const char *stderr_path;   /* the file of stderr_fd; NULL: the user sees it */
};

/** The workspace as tools will see it, owned. A runtime may map it to another path. Needs
 *  only `config`, `runtime`, `workspace` and `conversation`. NULL: memory ran out. */
char *launch_workspace(const struct launch *l);
int launch_runner(const struct launch *l, const struct runner_events *events, void *arg,
		  struct runner **ret, struct error *err);

#endif
