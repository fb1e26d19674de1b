/* SPDX-License-Identifier: MIT
 *
 * plugin-fork.h - agents, condensers and analyzers whose file this process never loads:
 * each call of a function runs in a forked copy of the process. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H

#include "registry/registry.h"

#include <stdbool.h>

/** Can components of this kind run in a copy? */
bool plugin_fork_can(int kind);
/** Functions of the component's kind that stand in for its own. NULL: out of memory. A
 *  function fails with MT_EIO, MT_ETIMEOUT or MT_ELIMIT, and a sentence in the
 *  error of the work, if the plugin crashes, exits or does not return; with
 *  MT_ECANCELLED if a signal that ends this process is pending. */
struct plugin_fork;
struct plugin_fork *plugin_fork_open(const struct component *component);
struct plugin_fork *plugin_fork_free(struct plugin_fork *f); /* NULL is fine */
const void *plugin_fork_functions(const struct plugin_fork *f);

#endif
