/* SPDX-License-Identifier: MIT
 *
 * plugin-stand-in.h - agents, condensers and analyzers whose file this process never loads:
 * each call of a function runs in a forked copy of the process. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_STAND_IN_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_STAND_IN_H

#include "registry/registry.h"

#include <stdbool.h>

/** Can components of this kind run in a copy? */
bool plugin_stand_in_can(int kind);
/** Functions of the component's kind that stand in for its own. NULL: out of memory. They
 *  fail as plugin_fork_call does. */
struct plugin_stand_in;
struct plugin_stand_in *plugin_stand_in_open(const struct component *component);
struct plugin_stand_in *plugin_stand_in_free(
	struct plugin_stand_in *f); /* NULL is fine */
/** No reply follows the request that its last call sent. NULL is fine. */
void plugin_stand_in_end_wait(struct plugin_stand_in *f);
const void *plugin_stand_in_functions(const struct plugin_stand_in *f);

#endif
