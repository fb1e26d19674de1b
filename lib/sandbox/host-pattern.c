/* SPDX-License-Identifier: MIT
 *
 * host-pattern.c - normalizes hosts and matches them with the patterns of an
 * allow-list. */
#include "sandbox/host-pattern.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

enum {
	LABEL_MAX = 63,
	NAME_MAX_LEN = 253,
	PORT_DIGITS = 5,
};

static bool is_port(const char *text, size_t len, uint16_t *ret)
{
	unsigned long port = 0;

	if (!len || len > PORT_DIGITS)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		port = port * 10 + (unsigned long)(text[i] - '0');
	}
	*ret = (uint16_t)port;
	return port > 0 && port <= UINT16_MAX;
}

static bool host_set_address(int family, const char *text, size_t len, struct host *ret)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char copy[INET6_ADDRSTRLEN];

	if (len >= sizeof copy)
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	ret->is_address = inet_pton(family, copy, bytes) == 1 &&
			  inet_ntop(family, bytes, ret->text, sizeof ret->text);
	return ret->is_address;
}

/* Resolvers read "1", "0x7f.1" and "127.0.0.010" as addresses. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *label = dot ? dot + 1 : name;

	if (label[0] == '0' && label[1] == 'x')
		return label[2 + strspn(label + 2, "0123456789abcdef")] == '\0';
	return label[strspn(label, "0123456789")] == '\0';
}

static bool host_set_name(const char *text, size_t len, struct host *ret)
{
	size_t label = 0;

	if (len && text[len - 1] == '.')
		len--;
	if (!len || len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		label = c == '.' ? 0 : label + 1;
		if (c == '.' ? i == 0 || text[i - 1] == '.'
			     : label > LABEL_MAX ||
				       !(isascii(c) &&
					 (isalnum(c) || c == '-' || c == '_')))
			return false;
		ret->text[i] = (char)tolower(c);
	}
	ret->text[len] = '\0';
	ret->is_address = false;
	return label > 0 && !ends_in_number(ret->text);
}

int host_parse(const char *text, size_t len, struct host *ret, uint16_t *ret_port)
{
	const char *colon = memrchr(text, ':', len), *close = memchr(text, ']', len);
	size_t host = len;

	*ret_port = 0;
	if (host_set_address(AF_INET6, text, len, ret))
		return MT_OK;
	if (colon && !(close && close > colon)) {
		host = (size_t)(colon - text);
		if (!is_port(colon + 1, len - host - 1, ret_port))
			return MT_EINVAL;
	}
	if (host > 1 && text[0] == '[' && text[host - 1] == ']')
		return host_set_address(AF_INET6, text + 1, host - 2, ret) ? MT_OK
									   : MT_EINVAL;
	return host_set_address(AF_INET, text, host, ret) ||
			       host_set_name(text, host, ret)
		       ? MT_OK
		       : MT_EINVAL;
}

void host_of_address(const struct sockaddr *address, struct host *ret)
{
	struct sockaddr_in in = { 0 };
	struct sockaddr_in6 in6 = { 0 };

	*ret = (struct host){ .is_address = true };
	if (address->sa_family == AF_INET) {
		memcpy(&in, address, sizeof in);
		inet_ntop(AF_INET, &in.sin_addr, ret->text, sizeof ret->text);
	} else if (address->sa_family == AF_INET6) {
		memcpy(&in6, address, sizeof in6);
		inet_ntop(AF_INET6, &in6.sin6_addr, ret->text, sizeof ret->text);
	}
}

int host_pattern_read(const char *text, struct host_pattern *ret, struct error *err)
{
	const char *host = text;

	*ret = (struct host_pattern){ 0 };
	if (strncmp(host, "*.", 2) == 0) {
		ret->subdomains = true;
		host += 2;
	}
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c > 0x7f)
			return fail(err, MT_EINVAL,
				    "`%.100s` is not an ASCII host name; write "
				    "international names in the form xn--...",
				    text);
	if (host_parse(host, strlen(host), &ret->host, &ret->port) ||
	    (ret->subdomains && ret->host.is_address))
		return fail(
			err, MT_EINVAL,
			"invalid host pattern `%.100s`; use example.com, *.example.com, "
			"or an address, each with an optional :PORT",
			text);
	return MT_OK;
}

bool host_pattern_matches(const struct host_pattern *p, const struct host *host,
			  uint16_t port)
{
	size_t len = strlen(host->text), own = strlen(p->host.text);

	if (p->port ? port != p->port : port != HTTP_PORT && port != HTTPS_PORT)
		return false;
	if (!p->subdomains)
		return host->is_address == p->host.is_address &&
		       strcmp(host->text, p->host.text) == 0;
	return !host->is_address && len > own + 1 && host->text[len - own - 1] == '.' &&
	       strcmp(host->text + len - own, p->host.text) == 0;
}
