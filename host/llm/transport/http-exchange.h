/* SPDX-License-Identifier: MIT
 *
 * http-exchange.h - one HTTP request of a plugin, which the host sends. */
#ifndef HOST_LLM_TRANSPORT_HTTP_EXCHANGE_H
#define HOST_LLM_TRANSPORT_HTTP_EXCHANGE_H

#include "config/config.h"
#include "llm/transport/http.h"
#include "registry/registry.h"

enum { HTTP_BODY_MAX = 2 << 20 }; /* of a request, and by default of a response */

/** The component that sends requests. */
struct http_sender {
	uv_loop_t *loop;
	const struct config *config;
	const struct component *component;
	const char *section; /* of the component: "tool.wc" */
	const char *noun;    /* for messages: "the tool" */
};

struct http_answer {
	int status;           /* of HTTP */
	json_object *headers; /* {name: value}, the names in lowercase; not masked */
	struct mt_str body;
};

struct http_exchange;
/** Called at the end of the exchange. Without a response `answer` is NULL and `err` is
 *  MT_ETIMEOUT, MT_ELIMIT, MT_ENOMEM or MT_EIO. Both are borrowed. */
typedef void http_answered_fn(void *arg, const struct http_answer *answer,
			      const struct error *err);

/** Check whether the sender may make the request {url, method, headers, body,
 *  timeout_ms}. The body may contain any bytes. @return MT_EINVAL, MT_ELIMIT or
 *  MT_EDENIED with a sentence. */
int http_exchange_check(const struct http_sender *sender, json_object *params,
			struct error *err);
/** Send the request, with the proxy and the certificates of the host. `pool` is created
 *  if NULL; `max`: maximum size of the response in bytes. The sender need not outlive the
 *  call. */
int http_exchange_start(struct llm_pool **pool, const struct http_sender *sender,
			json_object *params, size_t max, http_answered_fn *answered,
			void *arg, struct http_exchange **ret, struct error *err);
/** Cancel the exchange; the callback is not called. */
void http_exchange_cancel(struct http_exchange *x);

#endif
