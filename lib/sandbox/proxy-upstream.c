/* SPDX-License-Identifier: MIT
 *
 * proxy-upstream.c - reads the proxy of the environment, for connections that go through
 * it. */
#include "sandbox/network-proxy-internal.h"

#include "base64.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static int hex_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* NAME:PASSWORD with %XX as in a URL. @return the header, or NULL */
static char *upstream_header(const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(4096), header = STRBUF(8192);

	for (size_t i = 0; i < len; i++) {
		int high = text[i] == '%' && i + 2 < len ? hex_value(text[i + 1]) : -1,
		    low = high >= 0 ? hex_value(text[i + 2]) : -1;

		strbuf_addc(&plain, low >= 0 ? (char)(high << 4 | low) : text[i]);
		i += low >= 0 ? 2 : 0;
	}
	strbuf_add(&header, "Proxy-Authorization: Basic ");
	base64_put(&header, plain.text, plain.len);
	strbuf_add(&header, "\r\n");
	explicit_bzero(plain.text, plain.len);
	return plain.error ? NULL : strbuf_take(&header);
}

void proxy_upstream_read(struct proxy_upstream *ret, const char *const *variables)
{
	const char *url = NULL, *at;

	*ret = (struct proxy_upstream){ 0 };
	for (; *variables && !(url && *url); variables++)
		url = getenv(*variables);
	if (!url)
		return;
	if (strncasecmp(url, "http://", 7) == 0)
		url += 7;
	at = strrchr(url, '@');
	ret->header = at ? upstream_header(url, (size_t)(at - url)) : strdup("");
	url = at ? at + 1 : url;
	if (!ret->header || host_parse(url, strcspn(url, "/"), &ret->host, &ret->port))
		ret->host.text[0] = '\0';
	if (!ret->port)
		ret->port = HTTP_PORT;
}

bool proxy_upstream_is_bypassed(const struct host *host)
{
	const char *list = getenv("no_proxy") ? getenv("no_proxy") : getenv("NO_PROXY");
	size_t len = strlen(host->text);

	while (list && *list) {
		const char *item = list + strspn(list, ", \t.");
		size_t n = strcspn(item, ", \t");

		list = item + n;
		if (n == 1 && *item == '*')
			return true;
		if (n && n <= len && strncasecmp(host->text + len - n, item, n) == 0 &&
		    (n == len || (!host->is_address && host->text[len - n - 1] == '.')))
			return true;
	}
	return false;
}
