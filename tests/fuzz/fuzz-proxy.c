/* SPDX-License-Identifier: MIT
 *
 * fuzz-proxy.c - input of the proxy of the sandbox: the head of a request and its body,
 * the head of a response, a ClientHello, and a pattern, which matches its own host. A head
 * that was accepted is accepted again as it is forwarded, with the same host and body, and
 * a body ends at the same byte in pieces of any size. */
#include "sandbox/proxy-request.h"
#include "sandbox/tls-hello.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void again(const struct proxy_request *r)
{
	struct proxy_request second;

	if (proxy_head_length(r->head.text, r->head.len) != r->head.len ||
	    memchr(r->head.text, '\0', r->head.len))
		abort();
	if (proxy_request_parse(r->head.text, r->head.len, "", &second, NULL) ||
	    second.port != r->port || strcmp(second.host.text, r->host.text) != 0 ||
	    second.body.chunked != r->body.chunked || second.body.left != r->body.left)
		abort();
	strbuf_clear(&second.head);
}

static void bodies(struct proxy_body whole, const char *bytes, size_t n)
{
	struct proxy_body parts = whole;
	ssize_t took = proxy_body_take(&whole, bytes, n), sum = 0;

	while ((size_t)sum < n && !parts.done) {
		ssize_t one = proxy_body_take(&parts, bytes + sum, 1);

		if (one < 0) {
			sum = -1;
			break;
		}
		sum += one;
	}
	if (sum != took || (took >= 0 && whole.done != parts.done))
		abort();
}

static void pattern(const char *bytes, size_t n)
{
	AUTO(free) char *text = strndup(bytes, n);
	struct host_pattern p;

	if (text && !host_pattern_read(text, &p, NULL) &&
	    host_pattern_matches(&p, &p.host, p.port ? p.port : HTTP_PORT) ==
		    p.subdomains)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(strbuf) struct strbuf out = STRBUF(4 * PROXY_HEAD_MAX);
	const char *bytes = (const char *)data;
	size_t head = proxy_head_length(bytes, n);
	struct proxy_request r;
	char name[HOST_ROOM];

	if (tls_hello_read(bytes, n, name) != TLS_READ && *name)
		abort();
	pattern(bytes, n);
	if (!head)
		return 0;
	if (!proxy_request_parse(bytes, head, "", &r, NULL)) {
		if (!r.is_connect)
			again(&r);
		bodies(r.body, bytes + head, n - head);
	}
	strbuf_clear(&r.head);
	proxy_response_head(bytes, head, &out);
	return 0;
}
