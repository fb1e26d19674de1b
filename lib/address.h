/* SPDX-License-Identifier: MIT
 *
 * address.h - decides which addresses and hosts are allowed. */
#ifndef FETCH_ADDRESS_H
#define FETCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

enum address_class {
	ADDRESS_PUBLIC,  /* of the public internet */
	ADDRESS_PRIVATE, /* of a private network (10.0.0.0/8 and similar ones, fc00::/7),
			  * or of a provider's (100.64.0.0/10) */
	ADDRESS_SPECIAL, /* anything else: loopback, link-local, multicast, unspecified,
			  * reserved, and the metadata services of cloud providers */
};

/** The class of an address; of one that embeds an IPv4 address (mapped, NAT64, 6to4), the
 *  class of that. */
enum address_class address_class_of(const struct sockaddr *address);
bool address_is_public(const struct sockaddr *address);
/** The same for text; a host name counts as public. */
bool address_host_is_public(const char *host);
/** Is the host in the list: "example.org, *.example.org"? Ignores case. An empty list (or
 *  NULL) contains every host. */
bool address_host_is_listed(const char *host, const char *list);

#endif
