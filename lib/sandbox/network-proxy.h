/* SPDX-License-Identifier: MIT
 *
 * network-proxy.h - the HTTP proxy through which tools reach the hosts of an allow-list.
 *
 * It runs in a process of its own, outside the network namespace of the tools. It
 * resolves names, checks the addresses and connects to them, so that no second lookup can
 * give another address. doc/sandbox.md says what it checks. */
#ifndef LIB_SANDBOX_NETWORK_PROXY_H
#define LIB_SANDBOX_NETWORK_PROXY_H

#include "js.h"
#include "sandbox/host-pattern.h"

struct network_proxy_rules {
	struct host_pattern *hosts;
	size_t count;
	bool allow_private; /* names may resolve to ADDRESS_PRIVATE */
	int head_ms;        /* time limit for a request head or a ClientHello, */
	int connect_ms;     /* for a lookup, and for a connection to an address, */
	int idle_ms;        /* and for a connection without data; */
	int crowded_ms;     /* the same while a client waits, because there are too many */
};

/** Read {"hosts": ["example.com", "*.example.org:8443"], "allow_private": false}. The time
 *  limits get their defaults. The caller clears `ret`, also after a failure. */
int network_proxy_rules_read(json_object *o, struct network_proxy_rules *ret,
			     struct error *err);
void network_proxy_rules_clear(struct network_proxy_rules *rules);

/** Serve requests on `listen_fd` until the parent dies or the other end of `report_fd` is
 *  closed. For a forked process that exits afterwards: it closes all other descriptors but
 *  standard error, and resets signals. If http_proxy, https_proxy or all_proxy is set in
 *  its environment, it connects through that proxy.
 *
 *  For each request that is refused or fails, it writes one line to `report_fd`:
 *  {"host": "...", "port": 443, "reason": "A sentence for the model."}. Lines are at most
 *  1 KiB long. A line is not repeated within a second. At most 32 are written per second,
 *  and none while the pipe is full. */
void network_proxy_run(int listen_fd, int report_fd,
		       const struct network_proxy_rules *rules);

#endif
