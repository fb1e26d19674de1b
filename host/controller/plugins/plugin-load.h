/* SPDX-License-Identifier: MIT
 *
 * plugin-load.h - loads the components of plugins that the configuration names. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_LOAD_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_LOAD_H

#include "config/config.h"
#include "controller/plugins/plugin-component.h"

/** Does the component run in forked copies of this process, as `section` or its default
 *  says? */
bool plugin_component_forks(const struct config *c, const char *section,
			    const struct component *component);
/** Load the component that [FAMILY.NAME] or NAME refers to. */
int plugin_component_load(struct config *c, struct registry *r, int kind,
			  const char *name, struct plugin_component *ret,
			  struct error *err);
/** If a conversation is resumed, say in the error of a plugin that was not found how to
 *  resume it. `section`: the section with the list of tools; NULL: it is not a tool. */
void plugin_load_explain(const struct config *c, const char *section, struct error *err);
void plugin_component_clear(struct plugin_component *p);

#endif
