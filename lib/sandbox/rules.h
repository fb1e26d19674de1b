/* SPDX-License-Identifier: MIT
 *
 * rules.h - the paths and hosts that processes in a sandbox can reach. The host makes
 * the rules from the configuration, and sends them to the runner as JSON. */
#ifndef LIB_SANDBOX_RULES_H
#define LIB_SANDBOX_RULES_H

#include "error.h"
#include "js.h"

#include <stdbool.h>

enum { SANDBOX_PATHS_MAX = 1024 };

/* Descriptors that the host passes to the runner, and their number. */
enum { SANDBOX_OVERLAY_USER = 3, SANDBOX_OVERLAY_MOUNT };

/* In the order of the names in rules.c. */
enum sandbox_network {
	SANDBOX_NETWORK_ALLOW_LIST, /* through a proxy that checks host names */
	SANDBOX_NETWORK_FULL,
	SANDBOX_NETWORK_NONE,       /* only the loopback interface of the sandbox */
};

/* Absolute paths; lists end in NULL. What does not exist is ignored. */
struct sandbox_rules {
	char **write;          /* files and directories that can be changed and executed */
	char **read;           /* that can be read and executed */
	char **protect;        /* in `write`, but read-only */
	char **sockets;        /* Unix sockets outside that can be connected to, and
				* directories of them */
	char **hide;           /* directories that show only what `read` and `write` list */
	char **cover;          /* in `write` or `read`, that can be neither read nor changed */
	char *cache;           /* directory for caches of tools, also in `write`; NULL */
	json_object *ports;    /* ranges [[FIRST, LAST]] of TCP ports that can be used where
				* no namespace separates the network; NULL: none */
	json_object *proxy;    /* rules of the proxy, see network-proxy.h; NULL: none */
	enum sandbox_network network;
	int landlock;          /* newest version of Landlock to use */
	bool namespaces;       /* use namespaces if possible */
	bool required;         /* refuse to run anything if a part is not enforced */
	char *overlay;         /* directory of the overlay of the workspace, which is mounted
				* in the namespaces of the descriptors; NULL: none */
};

/** Append a copy of a path to a list. @return MT_OK, MT_ENOMEM, MT_ELIMIT */
int sandbox_path_add(char ***list, const char *path);
/** Read the rules of a hello. On failure they are empty. */
int sandbox_rules_read(json_object *o, struct sandbox_rules *ret, struct error *err);
/** The rules as JSON, owned; incomplete (js_failed) if memory ran out. */
json_object *sandbox_rules_json(const struct sandbox_rules *r);
void sandbox_rules_clear(struct sandbox_rules *r);

static inline void auto_sandbox_rules(struct sandbox_rules *r)
{
	sandbox_rules_clear(r);
}

#endif
