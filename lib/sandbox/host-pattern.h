/* SPDX-License-Identifier: MIT
 *
 * host-pattern.h - hosts in one normal form, and the patterns of an allow-list. */
#ifndef LIB_SANDBOX_HOST_PATTERN_H
#define LIB_SANDBOX_HOST_PATTERN_H

#include "error.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	HOST_ROOM = 256,
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
};

/** A host in normal form: a lowercase name without a final dot, or an address as
 *  inet_ntop writes it, without brackets. */
struct host {
	char text[HOST_ROOM];
	bool is_address;
};

/** Read "HOST", "HOST:PORT", "[IPV6]:PORT" or a bare IPv6 address. Names consist of
 *  labels of letters, digits, `-` and `_`. A name whose last label is a number, such as
 *  127.1, is refused, because resolvers read it as an address.
 *  `ret_port`: 0 if there is none. @return MT_OK or MT_EINVAL */
int host_parse(const char *text, size_t len, struct host *ret, uint16_t *ret_port);

/** The host of an address; for IPv6 without its scope. */
void host_of_address(const struct sockaddr *address, struct host *ret);

struct host_pattern {
	struct host host; /* without "*." */
	bool subdomains;  /* "*.host": the names under it, but not the host itself */
	uint16_t port;    /* 0: HTTP_PORT and HTTPS_PORT */
};

/** Read "example.com", "*.example.com" or an address, each with an optional ":PORT". */
int host_pattern_read(const char *text, struct host_pattern *ret, struct error *err);
bool host_pattern_matches(const struct host_pattern *p, const struct host *host,
			  uint16_t port);

#endif
