/* SPDX-License-Identifier: MIT
 *
 * proxy-request.h - HTTP/1 as the proxy reads and forwards it: requests, their bodies, and
 * the heads of responses.
 *
 * The proxy forwards one request per connection. Requests that servers could split or
 * read in another way than the proxy are refused. */
#ifndef LIB_SANDBOX_PROXY_REQUEST_H
#define LIB_SANDBOX_PROXY_REQUEST_H

#include "sandbox/host-pattern.h"
#include "strbuf.h"

enum { PROXY_HEAD_MAX = 64 << 10 };

/** The part of a connection's bytes that is the body of its request. */
struct proxy_body {
	bool chunked;
	bool done;     /* no byte that follows belongs to it */
	uint64_t left; /* bytes of the body, or of a chunk */
	int state, digits; /* within the framing of chunks */
};

struct proxy_request {
	bool is_connect; /* CONNECT; otherwise the request has an absolute URL */
	struct host host;
	uint16_t port;
	struct strbuf head; /* to send to the server; empty for CONNECT */
	struct proxy_body body;
};

/** Length of a head with its empty line; 0: it is not complete. */
size_t proxy_head_length(const char *bytes, size_t n);

/** Read the head of a request. `upstream`: header lines for the proxy that the request is
 *  sent to, or ""; NULL: it is sent to the host itself. The caller clears `ret->head`, also
 *  after a failure. @return MT_OK, MT_EINVAL, or MT_ENOMEM */
int proxy_request_parse(const char *head, size_t len, const char *upstream,
			struct proxy_request *ret, struct error *err);

/** Number of the first bytes that belong to the body. Sets `done` at its end.
 *  @return -1: its framing is invalid. */
ssize_t proxy_body_take(struct proxy_body *b, const char *bytes, size_t n);

/** Append the head of a response with `Connection: close`, so that clients send the next
 *  request on another connection. @return the status, or -1 if it is not HTTP/1 */
int proxy_response_head(const char *head, size_t len, struct strbuf *out);

#endif
