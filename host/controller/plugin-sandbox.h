/* SPDX-License-Identifier: MIT
 *
 * plugin-sandbox.h - takes from a forked child what a plugin of a third party does not
 * need. Each step can only be made stricter afterwards. */
#ifndef HOST_CONTROLLER_PLUGIN_SANDBOX_H
#define HOST_CONTROLLER_PLUGIN_SANDBOX_H

#include "error.h"

#include <stdint.h>

/** In the parent, before it forks: make the filters of system calls, once. */
int plugin_sandbox_prepare(struct error *err);
/** Limits of memory, processor time and files. */
void plugin_sandbox_limit(int64_t deadline_ms);
/** Before the plugin at `path` is loaded: of the file system it can read its own
 *  directory and the system's libraries; it cannot connect, signal or trace other
 *  processes, or start one. The kernel lacking Landlock or seccomp, that part is
 *  skipped. */
void plugin_sandbox_enter(const char *path);
/** After it is loaded: it can open no file at all. */
void plugin_sandbox_close(void);

#endif
