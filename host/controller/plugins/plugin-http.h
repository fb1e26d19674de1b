/* SPDX-License-Identifier: MIT
 *
 * plugin-http.h - performs the HTTP requests of agents and condensers (the effect `http`). */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_HTTP_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_HTTP_H

#include "controller/plugins/plugin-ctx.h"

/** Name of the `state` record of requests and results; the body of a result is a blob. */
#define PLUGIN_HTTP_RECORD "mortise/http"

struct plugin_http;

/** What `advance` gets: `result` and `in` borrow from `json`, which is the result as logged
 *  and sent to a forked copy. Set in.state. */
struct plugin_http_input {
	json_object *json;
	struct mt_http_result result;
	struct mt_in in;
};
/** Fill `ret`, which borrows `json` and points into itself: do not copy it. */
void plugin_http_input(struct plugin_http_input *ret, json_object *json);
json_object *plugin_http_result_json(const struct mt_http_result *result);

/** Check a request, and remember it in x->http. @return MT_OK or a status; then `x->error`
 *  has a sentence. */
int plugin_http_request(struct mt_ctx *x, const struct mt_http_request *request);
/** The same for a request as x->http keeps it: {url, method, headers, timeout_ms, max_bytes,
 *  repeatable, body}. Takes it. */
int plugin_http_set(struct mt_ctx *x, json_object *params);

typedef void plugin_http_done_fn(struct conversation *c, json_object *result);
/** Perform the request of a unit of work. If its result is in the log, `*ret_logged` is the
 *  result, owned, and the work continues immediately. Otherwise `*ret_logged` is NULL, the
 *  work is stored as by request_send, and `done` is called when the request has ended; it
 *  takes the work with request_finish. */
int plugin_http_perform(struct conversation *c, struct mt_ctx *x,
			plugin_http_done_fn *done, json_object **ret_logged,
			struct error *err);
/** Cancel the request, if one is open. Its work is not continued. */
void plugin_http_cancel(struct conversation *c);
/** Cancel, and close the connections. */
void plugin_http_release(struct conversation *c);

#endif
