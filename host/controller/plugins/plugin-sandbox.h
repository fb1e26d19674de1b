/* SPDX-License-Identifier: MIT
 *
 * plugin-sandbox.h - drops privileges that a third-party plugin does not need, in a
 * forked child. Each step can only be tightened afterwards. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_SANDBOX_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_SANDBOX_H

#include "error.h"
#include "js.h"

#include <stdint.h>

/** In the parent: what a copy that loads the plugin at `path` can read: the file, the
 *  `libraries` that it loaded when it was checked (an array of paths, or NULL), and those
 *  of the system. A descriptor; -1: the kernel lacks Landlock. */
int plugin_sandbox_files(const char *path, json_object *libraries);
/** In the parent, before it forks: make the filters of system calls, once. */
int plugin_sandbox_prepare(struct error *err);
/** Limits of memory, processor time and files. */
void plugin_sandbox_limit(int64_t deadline_ms);
/** Before the plugin is loaded: it can read only `files`; it cannot connect, signal or
 *  trace other processes, or start one. What the kernel lacks is skipped. */
void plugin_sandbox_enter(int files);
/** After it is loaded: it can open no file at all. */
void plugin_sandbox_close(void);

#endif
