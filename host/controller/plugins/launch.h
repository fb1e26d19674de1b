/* SPDX-License-Identifier: MIT
 *
 * launch.h - starts a runner with a runtime, for a conversation or for one call from
 * the command line. */
#ifndef HOST_CONTROLLER_PLUGINS_LAUNCH_H
#define HOST_CONTROLLER_PLUGINS_LAUNCH_H

#include "config/config.h"
#include "controller/plugins/plugin-component.h"
#include "tools/catalog.h"

struct launch {
	struct mask *mask;         /* values for servers are added to it; may be NULL */
	uv_loop_t *loop;
	struct config *config;
	const struct plugin_component *runtime;
	const struct catalog *const *catalogs; /* their instances are started, each once */
	size_t catalog_count;
	const char *workspace, *conversation, *spool_dir;
	const char *state_dir;     /* directory of instances that lives as long as the
	                              conversation; NULL: none */
	int stderr_fd;
};

int launch_runner(const struct launch *l, const struct runner_events *events, void *arg,
		  struct runner **ret, struct error *err);

#endif
