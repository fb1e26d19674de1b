/* SPDX-License-Identifier: MIT
 *
 * plugin-component.h - a component of a plugin that this process uses: an agent, a
 * condenser, an analyzer or a runtime. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_COMPONENT_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_COMPONENT_H

#include "registry/guard.h"
#include "registry/registry.h"

struct llm;
struct plugin_stand_in;

/** A plugin component that runs in this process or in forked copies of it, as
 *  configured. */
struct plugin_component {
	char *name;                /* as the configuration calls it */
	const struct component *component;
	const void *functions;     /* its own, or those of its stand-in */
	struct plugin_stand_in *stand_in; /* NULL: it runs in this process. Owned */
	/** Called if no reply follows the request of the last call; NULL: not needed. */
	void (*end_wait)(struct plugin_stand_in *f);
	struct registry *registry; /* with which a copy loads it; borrowed */
	int64_t deadline_ms;       /* of one call in a copy */
	json_object *options;      /* {key: "value"} as set */
	struct llm *llm;           /* the model in its section; NULL: none. Borrowed */
};

/** `function` of the component is called next: see guard_enter. A forked copy is not
 *  guarded, because its crash does not end this process. */
static inline struct guard_call plugin_component_enter(const struct plugin_component *p,
						       const char *function)
{
	return guard_enter(p->stand_in ? NULL : p->component, function);
}

/** `function` has returned `r`. @return `r`, or MT_EINVAL if it is not a status, with a
 *  sentence that names the file and the function. */
static inline int plugin_component_leave(const struct plugin_component *p,
					 const char *function, struct guard_call outer,
					 int r, struct error *err)
{
	guard_leave(outer);
	if (r <= 0 && r >= MT_EEXIST)
		return r;
	return fail(err, MT_EINVAL, "%s returned the invalid status %d from %s",
		    p->component->path, r, function);
}

#endif
