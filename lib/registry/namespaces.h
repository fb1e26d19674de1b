/* SPDX-License-Identifier: MIT
 *
 * namespaces.h - starts a child process in its own PID namespace. */
#ifndef LIB_REGISTRY_NAMESPACES_H
#define LIB_REGISTRY_NAMESPACES_H

/** The user and the group of this process, as the new namespace maps them. */
struct namespaces {
	char user[32], group[32];
};

/** Before fork: fill in. */
void namespaces_prepare(struct namespaces *n);
/** In a forked child, before exec: continue as a child of this process, in a new process
 *  and user namespace. From there, no other process can be named or signaled; what is
 *  left when it ends is killed. The calling process ends as the new one does: with its
 *  exit code, or by its signal. Returns in the calling process if there can be no such
 *  namespace. Async-signal-safe. */
void namespaces_enter(const struct namespaces *n);

#endif
