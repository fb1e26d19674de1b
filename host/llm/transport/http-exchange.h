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
	const char *noun;    /* what it is: "the tool" */
};

struct http_answer {
	int status;           /* of HTTP */
	json_object *headers; /* {name: value}, the names in lowercase; not masked */
	struct mt_str body;
};

struct http_exchange;
/** `answer` is NULL if there is none: then `err` says why: MT_ETIMEOUT, MT_ELIMIT, MT_ENOMEM,
 *  otherwise MT_EIO. Both are borrowed. The exchange is over. */
typedef void http_answered_fn(void *arg, const struct http_answer *answer,
			      const struct error *err);

/** Can the sender make the request {url, method, headers, body, timeout_ms}? Its body may
 *  have any bytes. @return MT_EINVAL, MT_ELIMIT or MT_EDENIED with a sentence. */
int http_exchange_check(const struct http_sender *sender, json_object *params,
			struct error *err);
/** Send it, with the proxy and the certificates of the host. `pool` is made when it is NULL;
 *  `max`: bytes of the response. Nothing of the sender is needed afterwards. */
int http_exchange_start(struct llm_pool **pool, const struct http_sender *sender,
			json_object *params, size_t max, http_answered_fn *answered,
			void *arg, struct http_exchange **ret, struct error *err);
/** End it, without an answer. */
void http_exchange_cancel(struct http_exchange *x);

#endif
