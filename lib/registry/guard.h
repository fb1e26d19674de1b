/* SPDX-License-Identifier: MIT
 *
 * guard.h - calls of plugins in this process: a plugin that crashes or calls exit ends the
 * program with a sentence that names it, and what a third party's plugin prints does not
 * mix with the program's output. */
#ifndef LIB_REGISTRY_GUARD_H
#define LIB_REGISTRY_GUARD_H

#include "registry/registry.h"

/** A call in progress. */
struct guard_call {
	const struct component *component; /* NULL: no plugin is running */
	const char *function;
	int output; /* the real standard output; -1: it is in its place */
};

/** `function` of this component is called next; both stay until guard_leave. Until then
 *  standard output is standard error, unless the component is one of ours. NULL: it does
 *  not run in this process.
 *  @return the call that this one is part of, for guard_leave. */
struct guard_call guard_enter(const struct component *c, const char *function);
/** The function has returned. */
void guard_leave(struct guard_call outer);
/** Write to standard error which plugin is running, if one is, and what it did:
 *  "mortise: the agent `x` (FILE) WHAT `advance`REST". Async-signal-safe. */
void guard_report(const char *what, const char *rest);

#endif
