/* SPDX-License-Identifier: MIT
 *
 * network-proxy-internal.h - shared by the files of the network proxy. */
#ifndef LIB_SANDBOX_NETWORK_PROXY_INTERNAL_H
#define LIB_SANDBOX_NETWORK_PROXY_INTERNAL_H

#include "sandbox/network-proxy.h"
#include "sandbox/proxy-request.h"

#include <poll.h>
#include <sys/socket.h>

enum {
	PROXY_CONNECTIONS = 64,
	PROXY_ADDRESSES = 8,
	PROXY_REPORT_MAX = 1024,
	PROXY_REPORTS = 32,
	PROXY_REPORT_MS = 1000, /* time until a line may be repeated */
};

/** What a lookup has found. */
struct proxy_addresses {
	int error; /* of getaddrinfo */
	unsigned count;
	struct sockaddr_storage list[PROXY_ADDRESSES];
};

/** A lookup, which a child process makes, because getaddrinfo blocks. */
struct proxy_lookup {
	pid_t pid; /* 0: none */
	int fd;    /* readable when it is done */
};

/** A proxy that the environment names. */
struct proxy_upstream {
	struct host host; /* "": none */
	uint16_t port;
	char *header; /* Proxy-Authorization with its newline, or "" */
};

struct proxy {
	const struct network_proxy_rules *rules;
	struct proxy_upstream plain, tunnel; /* of http_proxy and https_proxy */
	int listen_fd, report_fd;
	struct proxy_connection *connections[PROXY_CONNECTIONS];
	size_t count;
	int64_t accept_at; /* no connection is accepted before */
	struct {
		int64_t at;
		char line[PROXY_REPORT_MAX];
	} reports[PROXY_REPORTS];
};

/* ---- network-proxy.c ---- */

/** Write a line to the supervisor, unless it was written a moment ago. */
void proxy_report(struct proxy *p, const struct host *host, uint16_t port,
		  const char *reason);

/* ---- proxy-connection.c ---- */

/** Serve a client. Takes the descriptor. NULL: out of memory. */
struct proxy_connection *proxy_connection_open(struct proxy *p, int client);
/** When data last passed through a connection that exists, by clock_ms(); INT64_MAX:
 *  it does not exist yet, or is about to end. */
int64_t proxy_connection_idle_since(const struct proxy_connection *c);
/** The descriptors and events that it waits for. @return its deadline */
int64_t proxy_connection_watch(const struct proxy_connection *c, struct pollfd poll[2]);
/** Handle events. @return false if it has ended */
bool proxy_connection_step(struct proxy_connection *c, const struct pollfd poll[2]);
void proxy_connection_close(struct proxy_connection *c);

/* ---- proxy-lookup.c ---- */

int proxy_lookup_start(const struct host *host, struct proxy_lookup *ret);
/** Read the result and end the lookup. */
void proxy_lookup_finish(struct proxy_lookup *l, struct proxy_addresses *ret);
void proxy_lookup_end(struct proxy_lookup *l);
/** The single address that `host` is. */
void proxy_addresses_set(struct proxy_addresses *a, const struct host *host);
/** Remove addresses that the rules refuse for this port. `ret_refused`: the first one. */
void proxy_addresses_filter(struct proxy_addresses *a, uint16_t port,
			    const struct network_proxy_rules *rules,
			    struct host *ret_refused);
void proxy_addresses_set_port(struct proxy_addresses *a, uint16_t port);

/* ---- proxy-upstream.c ---- */

/** Read the proxy of the first of these variables that is set. */
void proxy_upstream_read(struct proxy_upstream *ret, const char *const *variables);
/** Does no_proxy name the host? */
bool proxy_upstream_is_bypassed(const struct host *host);

#endif
