/* SPDX-License-Identifier: MIT
 *
 * test-host-pattern.c - hosts in normal form, the patterns that match them, and classes of
 * addresses. */
#include "sandbox/host-pattern.h"
#include "address.h"
#include "auto.h"
#include "tap.h"

#include <arpa/inet.h>

static void hosts(void)
{
	static const struct {
		const char *text, *host; /* host NULL: refused */
		uint16_t port;
		bool is_address;
	} cases[] = {
		{ "example.com", "example.com", 0, false },
		{ "EXAMPLE.com.", "example.com", 0, false },
		{ "example.com.:8080", "example.com", 8080, false },
		{ "xn--bcher-kva.example:443", "xn--bcher-kva.example", 443, false },
		{ "_dmarc.a-b.c", "_dmarc.a-b.c", 0, false },
		{ "localhost:65535", "localhost", 65535, false },
		{ "1.2.3.4", "1.2.3.4", 0, true },
		{ "1.2.3.4:80", "1.2.3.4", 80, true },
		{ "::1", "::1", 0, true },
		{ "[::1]", "::1", 0, true },
		{ "[0:0:0:0:0:0:0:1]:80", "::1", 80, true },
		{ "[::FFFF:1.2.3.4]:1", "::ffff:1.2.3.4", 1, true },
		{ "", NULL, 0, false }, { ".", NULL, 0, false }, { ":80", NULL, 0, false },
		{ "a..b", NULL, 0, false }, { ".a", NULL, 0, false }, { "a..", NULL, 0, false },
		{ "a:", NULL, 0, false }, { "a:0", NULL, 0, false }, { "a:65536", NULL, 0, false },
		{ "a:-1", NULL, 0, false }, { "a:80x", NULL, 0, false }, { "a:000080", NULL, 0, false },
		{ "a b", NULL, 0, false }, { "a/b", NULL, 0, false }, { "u@a", NULL, 0, false },
		{ "a%00", NULL, 0, false }, { "b\xc3\xbc", NULL, 0, false }, { "*", NULL, 0, false },
		{ "127.1", NULL, 0, false }, { "2130706433", NULL, 0, false },
		{ "0x7f000001", NULL, 0, false }, { "0x7f.0x1", NULL, 0, false },
		{ "127.0.0.010", NULL, 0, false }, { "1.2.3.4.", NULL, 0, false },
		{ "1.2.3.4.5", NULL, 0, false }, { "256.1.1.1", NULL, 0, false },
		{ "[::1", NULL, 0, false }, { "[]", NULL, 0, false }, { "[", NULL, 0, false },
		{ "[1.2.3.4]", NULL, 0, false }, { "[fe80::1%eth0]", NULL, 0, false },
		{ "[::1]x:80", NULL, 0, false }, { "[example.com]", NULL, 0, false },
	};
	struct host h;
	uint16_t port;
	char big[300];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int status = host_parse(cases[i].text, strlen(cases[i].text), &h, &port);

		CHECK_MSG(cases[i].host ? status == MT_OK && port == cases[i].port &&
						  h.is_address == cases[i].is_address &&
						  strcmp(h.text, cases[i].host) == 0
					: status == MT_EINVAL,
			  "host `%s`", cases[i].text);
	}
	memset(big, 'a', sizeof big);
	CHECK(host_parse(big, 63, &h, &port) == MT_OK);
	CHECK(host_parse(big, 64, &h, &port) == MT_EINVAL);
	for (size_t i = 1; i < sizeof big; i += 2)
		big[i] = '.';
	CHECK(host_parse(big, 253, &h, &port) == MT_OK && strlen(h.text) == 253);
	CHECK(host_parse(big, 255, &h, &port) == MT_EINVAL);
	CHECK(host_parse("a\0b", 3, &h, &port) == MT_EINVAL);
}

static void patterns(void)
{
	static const struct {
		const char *pattern, *host;
		bool matches;
	} cases[] = {
		{ "example.com", "example.com:443", true },
		{ "example.com", "example.com:80", true },
		{ "Example.COM.", "eXample.com.:80", true },
		{ "example.com", "example.com:22", false },
		{ "example.com", "a.example.com:443", false },
		{ "example.com:22", "example.com:22", true },
		{ "example.com:22", "example.com:443", false },
		{ "*.example.com", "a.example.com:443", true },
		{ "*.example.com", "a.b.example.com:443", true },
		{ "*.example.com", "example.com:443", false },
		{ "*.example.com", "evilexample.com:443", false },
		{ "*.example.com:8443", "a.example.com:8443", true },
		{ "*.example.com:8443", "a.example.com:443", false },
		{ "example.com", "example.com.evil.net:443", false },
		{ "127.0.0.1", "127.0.0.1:80", true },
		{ "127.0.0.1", "[::ffff:127.0.0.1]:80", false },
		{ "::1", "[0::1]:80", true },
		{ "[::1]:9", "[::1]:9", true },
	};
	static const char *const refused[] = { "*", "*.", "*.1.2.3.4", "a.*.b", "*a.com",
					       "http://a.com", "a.com/x", "a.com:", "" };
	struct host_pattern p;
	struct error err = ERROR_NONE;
	struct host h;
	uint16_t port;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_MSG(host_pattern_read(cases[i].pattern, &p, NULL) == MT_OK &&
				  host_parse(cases[i].host, strlen(cases[i].host), &h,
					     &port) == MT_OK &&
				  host_pattern_matches(&p, &h, port) == cases[i].matches,
			  "%s and %s", cases[i].pattern, cases[i].host);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		CHECK_MSG(host_pattern_read(refused[i], &p, NULL) == MT_EINVAL,
			  "pattern `%s`", refused[i]);
	CHECK(host_pattern_read("b\xc3\xbc"
				"cher.example",
				&p, &err) == MT_EINVAL);
	CHECK(strstr(err.text, "xn--") != NULL);
}

static void classes(void)
{
	static const struct {
		const char *text;
		enum address_class class;
	} cases[] = {
		{ "8.8.8.8", ADDRESS_PUBLIC }, { "2606:4700::1111", ADDRESS_PUBLIC },
		{ "::ffff:8.8.8.8", ADDRESS_PUBLIC }, { "64:ff9b::808:808", ADDRESS_PUBLIC },
		{ "10.0.0.1", ADDRESS_PRIVATE }, { "172.31.0.1", ADDRESS_PRIVATE },
		{ "192.168.0.1", ADDRESS_PRIVATE }, { "100.127.0.1", ADDRESS_PRIVATE },
		{ "fc00::1", ADDRESS_PRIVATE }, { "fd12::1", ADDRESS_PRIVATE },
		{ "::ffff:10.0.0.1", ADDRESS_PRIVATE }, { "64:ff9b::a00:1", ADDRESS_PRIVATE },
		{ "2002:a00:1::", ADDRESS_PRIVATE },
		{ "127.0.0.1", ADDRESS_SPECIAL }, { "0.0.0.0", ADDRESS_SPECIAL },
		{ "169.254.169.254", ADDRESS_SPECIAL }, { "100.100.100.200", ADDRESS_SPECIAL },
		{ "168.63.129.16", ADDRESS_SPECIAL }, { "224.0.0.1", ADDRESS_SPECIAL },
		{ "255.255.255.255", ADDRESS_SPECIAL }, { "::", ADDRESS_SPECIAL },
		{ "::1", ADDRESS_SPECIAL }, { "::127.0.0.1", ADDRESS_SPECIAL },
		{ "fe80::1", ADDRESS_SPECIAL }, { "fec0::1", ADDRESS_SPECIAL },
		{ "fd00:ec2::254", ADDRESS_SPECIAL }, { "fd20:ce::254", ADDRESS_SPECIAL },
		{ "ff02::1", ADDRESS_SPECIAL }, { "::ffff:169.254.169.254", ADDRESS_SPECIAL },
		{ "64:ff9b::a9fe:a9fe", ADDRESS_SPECIAL }, { "64:ff9b:1::1", ADDRESS_SPECIAL },
		{ "2002:7f00:1::", ADDRESS_SPECIAL }, { "2001:0:1::", ADDRESS_SPECIAL },
		{ "2001:db8::1", ADDRESS_SPECIAL }, { "3fff:fff::1", ADDRESS_SPECIAL },
		{ "3fff:1000::1", ADDRESS_PUBLIC },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sockaddr_in in = { .sin_family = AF_INET };
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
		bool six = inet_pton(AF_INET, cases[i].text, &in.sin_addr) != 1;

		if (six)
			inet_pton(AF_INET6, cases[i].text, &in6.sin6_addr);
		CHECK_MSG(address_class_of(six ? (struct sockaddr *)&in6
					       : (struct sockaddr *)&in) ==
				  cases[i].class,
			  "class of %s", cases[i].text);
	}
}

static void addresses(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_scope_id = 2 };
	struct sockaddr local = { .sa_family = AF_UNIX };
	struct host h;

	inet_pton(AF_INET, "10.1.2.3", &in.sin_addr);
	host_of_address((struct sockaddr *)&in, &h);
	CHECK_STR(h.text, "10.1.2.3");
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	host_of_address((struct sockaddr *)&in6, &h);
	CHECK_STR(h.text, "fe80::1");
	host_of_address(&local, &h);
	CHECK_STR(h.text, "");
}

int main(void)
{
	hosts();
	patterns();
	classes();
	addresses();
	return tap_done();
}
