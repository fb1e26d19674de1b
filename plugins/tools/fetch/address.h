/* SPDX-License-Identifier: MIT
 *
 * address.h - decides which addresses and hosts are allowed. */
#ifndef FETCH_ADDRESS_H
#define FETCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/** Is it an address of the public internet? Anything else (loopback, private networks,
 *  link-local, multicast, addresses that embed such an IPv4 address) is not. */
bool address_is_public(const struct sockaddr *address);
/** The same for text; a host name counts as public. */
bool address_host_is_public(const char *host);
/** Is the host in the list: "example.org, *.example.org"? Ignores case. An empty list (or
 *  NULL) contains every host. */
bool address_host_is_listed(const char *host, const char *list);

#endif
