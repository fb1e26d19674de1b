/* SPDX-License-Identifier: MIT
 *
 * address.c - decides which addresses and hosts are allowed. */
#include "address.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HOST_MAX = 256 };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The first row that contains the address counts. */
static enum address_class v4_class(uint32_t a)
{
	static const struct {
		uint32_t net;
		unsigned bits;
		enum address_class class;
	} closed[] = {
		{ 0x646464c8, 32, ADDRESS_SPECIAL }, /* metadata of Alibaba Cloud */
		{ 0xa83f8110, 32, ADDRESS_SPECIAL }, /* metadata of Azure */
		{ 0x0a000000, 8, ADDRESS_PRIVATE },  { 0x64400000, 10, ADDRESS_PRIVATE },
		{ 0xac100000, 12, ADDRESS_PRIVATE }, { 0xc0a80000, 16, ADDRESS_PRIVATE },
		{ 0x00000000, 8, ADDRESS_SPECIAL },  { 0x7f000000, 8, ADDRESS_SPECIAL },
		{ 0xa9fe0000, 16, ADDRESS_SPECIAL }, { 0xc0000000, 24, ADDRESS_SPECIAL },
		{ 0xc0000200, 24, ADDRESS_SPECIAL }, { 0xc0586300, 24, ADDRESS_SPECIAL },
		{ 0xc6120000, 15, ADDRESS_SPECIAL }, { 0xc6336400, 24, ADDRESS_SPECIAL },
		{ 0xcb007100, 24, ADDRESS_SPECIAL }, { 0xe0000000, 4, ADDRESS_SPECIAL },
		{ 0xf0000000, 4, ADDRESS_SPECIAL },
	};

	for (size_t i = 0; i < COUNT(closed); i++)
		if (a >> (32 - closed[i].bits) == closed[i].net >> (32 - closed[i].bits))
			return closed[i].class;
	return ADDRESS_PUBLIC;
}

static uint32_t v4_at(const unsigned char *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Only 2000::/3 is allocated; parts of it embed IPv4 addresses or are reserved for
 * examples. */
static enum address_class v6_class(const unsigned char *b)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const unsigned char translated[12] = { 0x00, 0x64, 0xff, 0x9b };
	static const unsigned char aws[4] = { 0xfd, 0x00, 0x0e, 0xc2 };
	static const unsigned char google[4] = { 0xfd, 0x20, 0x00, 0xce };

	if (memcmp(b, mapped, 12) == 0 || memcmp(b, translated, 12) == 0)
		return v4_class(v4_at(b + 12));
	if ((b[0] & 0xfe) == 0xfc) /* two of these networks are metadata services */
		return memcmp(b, aws, 4) && memcmp(b, google, 4) ? ADDRESS_PRIVATE
								 : ADDRESS_SPECIAL;
	if ((b[0] & 0xe0) != 0x20)
		return ADDRESS_SPECIAL;
	if (b[0] == 0x20 && b[1] == 0x02)
		return v4_class(v4_at(b + 2));
	if (b[0] == 0x20 && b[1] == 0x01)
		return b[2] > 1 && !(b[2] == 0x0d && b[3] == 0xb8) ? ADDRESS_PUBLIC
								   : ADDRESS_SPECIAL;
	return b[0] == 0x3f && b[1] == 0xff && b[2] < 0x10 ? ADDRESS_SPECIAL
							   : ADDRESS_PUBLIC;
}

enum address_class address_class_of(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, address, sizeof in);
		return v4_class(ntohl(in.sin_addr.s_addr));
	}
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, address, sizeof in6);
		return v6_class(in6.sin6_addr.s6_addr);
	}
	return ADDRESS_SPECIAL;
}

bool address_is_public(const struct sockaddr *address)
{
	return address_class_of(address) == ADDRESS_PUBLIC;
}

bool address_host_is_public(const char *host)
{
	char name[HOST_MAX];
	size_t len = strlen(host);
	unsigned char b[16];
	struct in_addr old;

	if (len >= sizeof name)
		return true;
	memcpy(name, host, len + 1);
	if (name[0] == '[' && len > 1) {
		memmove(name, name + 1, len);
		name[strcspn(name, "]%")] = '\0';
	}
	if (inet_pton(AF_INET6, name, b) == 1)
		return v6_class(b) == ADDRESS_PUBLIC;
	if (inet_aton(name, &old)) /* also accepts 127.1 and 0x7f000001 */
		return v4_class(ntohl(old.s_addr)) == ADDRESS_PUBLIC;
	return strcasecmp(host, "localhost") != 0 &&
	       !(len > 10 && strcasecmp(host + len - 10, ".localhost") == 0);
}

bool address_host_is_listed(const char *host, const char *list)
{
	if (!list || !list[strspn(list, ", \t")])
		return true;
	while (*list) {
		size_t len;
		char item[HOST_MAX];

		list += strspn(list, ", \t");
		len = strcspn(list, ", \t");
		if (len && len < sizeof item) {
			memcpy(item, list, len);
			item[len] = '\0';
			if (fnmatch(item, host, FNM_CASEFOLD | FNM_NOESCAPE) == 0)
				return true;
		}
		list += len;
	}
	return false;
}
