/* SPDX-License-Identifier: MIT
 *
 * guard.h - guards calls of plugins in this process. A plugin that crashes or calls exit
 * terminates the program with a message that names the plugin. Output that a third
 * party's plugin prints does not mix with the program's output. */
#ifndef LIB_REGISTRY_GUARD_H
#define LIB_REGISTRY_GUARD_H

#include "registry/registry.h"

/** A call in progress. */
struct guard_call {
	const struct component *component; /* NULL: no plugin is running */
	const char *function;
	int output; /* the real standard output; -1: not redirected */
};

/** Call before `function` of this component; both must stay valid until guard_leave.
 *  Until then, standard output goes to standard error, unless the component is built in.
 *  NULL: the component does not run in this process.
 *  @return the enclosing call, for guard_leave. */
struct guard_call guard_enter(const struct component *c, const char *function);
/** Call after the function has returned. */
void guard_leave(struct guard_call outer);
/** True if a plugin is running. Async-signal-safe. */
bool guard_is_running(void);
/** If a plugin is running, write to standard error which one it is and what it did:
 *  "mortise: the agent `x` (FILE) WHAT `advance`REST". Async-signal-safe. */
void guard_report(const char *what, const char *rest);

#endif
