/* SPDX-License-Identifier: MIT
 *
 * namespaces.h - the user, mount, network and IPC namespaces of a sandbox. */
#ifndef LIB_SANDBOX_NAMESPACES_H
#define LIB_SANDBOX_NAMESPACES_H

#include "sandbox/rules.h"

/* In the order in which a process enters them. */
enum sandbox_namespace {
	SANDBOX_USER,
	SANDBOX_MOUNT,
	SANDBOX_NET,
	SANDBOX_IPC,
	SANDBOX_NAMESPACES,
};

/** Move this process, which has one thread, into new namespaces: its user and group only;
 *  paths as the rules say, with `temporary` over /tmp and /var/tmp; a loopback interface
 *  unless the network is full. It keeps the capabilities that this gives it.
 *  @return MT_OK; otherwise `err` says what failed, and the process must exit. */
int namespaces_make(const struct sandbox_rules *r, const char *temporary,
		    struct error *err);
/** Move this process, which has one thread, into a new user namespace, in which it has all
 *  capabilities. */
int namespaces_make_user(struct error *err);
/** The mount namespace of the rules, for namespaces_make. The process has its own already,
 *  and the capability to mount. */
int mounts_make(const struct sandbox_rules *r, const char *temporary, struct error *err);

#endif
