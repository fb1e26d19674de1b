/* SPDX-License-Identifier: MIT
 *
 * http-requests.h - the HTTP requests of tools ("http/send"). */
#ifndef HOST_LLM_TRANSPORT_HTTP_REQUESTS_H
#define HOST_LLM_TRANSPORT_HTTP_REQUESTS_H

#include "config/config.h"
#include "llm/transport/http.h"
#include "tools/catalog.h"

#define HTTP_REQUESTS_METHOD "http/send"

struct tool_request;

/** HTTP requests of successive calls; initially zeroed. */
struct http_requests {
	struct llm_pool *pool;      /* NULL: nothing was sent */
	struct tool_request *open;
	unsigned open_count, count; /* of the call */
};

/** The sender of a request. `runner` must live until the requests are cancelled. */
struct http_caller {
	uv_loop_t *loop;
	const struct config *config;
	const struct tool_instance *instance;
	struct runner *runner;
};

/** Send the request that a call makes with HTTP_REQUESTS_METHOD, and pass the response
 *  to the runner. If it cannot be sent, the runner gets an error. */
void http_requests_send(struct http_requests *r, const struct http_caller *caller,
			uint64_t request, json_object *params);
/** Cancel the open requests when the call ends. */
void http_requests_cancel(struct http_requests *r);
/** Cancel the requests and close the connections. The loop closes their handles. */
void http_requests_clear(struct http_requests *r);

#endif
