/* SPDX-License-Identifier: MIT
 *
 * http.h - one HTTP request on the loop, through the pool's kept connections. */
#ifndef HOST_LLM_TRANSPORT_HTTP_H
#define HOST_LLM_TRANSPORT_HTTP_H

#include "error.h"

#include <stddef.h>
#include <uv.h>

struct http_call;
struct llm_exchange;
struct llm_pool;

enum { HTTP_HEADERS_MAX = 256 << 10 }; /* bytes of a response */

struct http_request {
	const char *url;              /* http or https, nothing else */
	const char *method;           /* NULL: POST with a body, GET without */
	const char *const *headers;   /* "Name: value"; copied */
	size_t header_count;
	const char *body;             /* POST; borrowed until the call ends; NULL: GET */
	size_t body_len;
	int64_t timeout_ms;           /* for the whole call; 0: none */
	const char *ca_path, *proxy;  /* NULL: the system default */
};

enum http_outcome {
	HTTP_DONE = 0,
	HTTP_NETWORK,                 /* unreachable, or connection lost */
	HTTP_TIMEOUT,
	HTTP_TLS,                     /* the certificate is not trusted */
	HTTP_REFUSED,                 /* unsupported URL */
	HTTP_TOO_LONG,                /* more bytes of headers than HTTP_HEADERS_MAX */
	HTTP_STOPPED,                 /* by the result of on_body */
};

/** Results of the function that receives a body. */
enum http_wish {
	HTTP_MORE = 0,
	HTTP_STOP,                    /* end the call with HTTP_STOPPED */
	HTTP_ENOUGH,                  /* end the call with HTTP_DONE; the connection is
	                                 kept if the server finishes soon */
};

/** Called from the loop; `done` exactly once, unless the call is cancelled. */
struct http_events {
	/** A response header; the first call for a response has the status and an empty
	 *  name. */
	void (*header)(void *arg, int status, const char *name, const char *value);
	/** A piece of the body. @return enum http_wish. */
	int (*body)(void *arg, const char *bytes, size_t len);
	void (*done)(void *arg, enum http_outcome outcome, const char *why);
};

int http_start(struct llm_pool *p, const struct http_request *r,
	       const struct http_events *events, void *arg, struct http_call **ret,
	       struct error *err);
/** Cancel the call: no further events are called, even if called from an event. */
void http_cancel(struct http_call *c);

/* For the exchanges of the pool: */
uv_loop_t *llm_pool_loop(struct llm_pool *p);
struct llm_exchange **llm_pool_exchanges(struct llm_pool *p);
struct llm_pool *llm_pool_ref(struct llm_pool *p);
void llm_pool_unref(struct llm_pool *p);

#endif
