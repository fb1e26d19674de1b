/* SPDX-License-Identifier: MIT
 *
 * launch.h - starts a runner with a runtime, for a conversation or for one call from
 * the command line. */
#ifndef HOST_CONTROLLER_LAUNCH_H
#define HOST_CONTROLLER_LAUNCH_H

#include "config/config.h"
#include "registry/guard.h"
#include "registry/registry.h"
#include "tools/catalog.h"

struct llm;
struct plugin_stand_in;

/** A plugin component that runs in this process or in forked copies of it, as
 *  configured. */
struct plugin_component {
	char *name;                /* as the configuration calls it */
	const struct component *component;
	const void *functions;     /* its own, or those of its stand-in */
	struct plugin_stand_in *stand_in; /* NULL: it runs inside. Owned */
	struct registry *registry; /* a copy loads it with; borrowed */
	int64_t deadline_ms;       /* of one call in a copy */
	json_object *options;      /* {key: "value"} as set */
	struct llm *llm;           /* that its section names; NULL: none. Borrowed */
};

/** Does the component run in forked copies of this process, as `section` or its default
 *  says? */
bool plugin_component_forks(const struct config *c, const char *section,
			    const struct component *component);
/** Load the component that [FAMILY.NAME] or NAME refers to. */
int plugin_component_load(struct config *c, struct registry *r, int kind,
			  const char *name, struct plugin_component *ret,
			  struct error *err);
void plugin_component_clear(struct plugin_component *p);
/** Effective option of a component; NULL: unset. */
const char *plugin_component_option(const struct plugin_component *p, const char *name);
int64_t plugin_component_option_int(const struct plugin_component *p, const char *name);
/** `function` of the component is called next: see guard_enter. A copy of the process is
 *  not guarded: its end does not end this process. */
struct guard_call plugin_component_enter(const struct plugin_component *p,
					 const char *function);

struct launch {
	struct mask *mask;         /* values for servers are added to it; may be NULL */
	uv_loop_t *loop;
	struct config *config;
	const struct plugin_component *runtime;
	const struct catalog *const *catalogs; /* whose instances it gets, each once */
	size_t catalog_count;
	const char *workspace, *conversation, *spool_dir;
	const char *state_dir;     /* directory of instances that lives as long as the
	                              conversation; NULL: none */
	int stderr_fd;
};

/** Time limit after which a call of a tool is killed, in ms; `asked_ms`: the timeout of
 *  the call. */
int64_t launch_deadline(const struct tool_instance *t, const struct tool *tool,
			int64_t asked_ms);

int launch_runner(const struct launch *l, const struct runner_events *events, void *arg,
		  struct runner **ret, struct error *err);

#endif
