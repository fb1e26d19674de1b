/* SPDX-License-Identifier: MIT
 *
 * model-request.h - requests to a model, from sending to the reply. */
#ifndef HOST_CONTROLLER_PLUGINS_MODEL_REQUEST_H
#define HOST_CONTROLLER_PLUGINS_MODEL_REQUEST_H

#include "controller/plugins/plugin-ctx.h"
#include "llm/llm.h"

/** Create the request state of a conversation. NULL: out of memory. */
struct request *request_new(void);
/** The model for requests of this part: the one in its section, otherwise the router's
 *  choice, otherwise the model of the conversation. NULL: none. */
struct llm *request_llm_for(const struct conversation *c,
			    const struct plugin_component *p,
			    const struct llm_request *request);
/** Encode the request of a work until `end` (as uv_hrtime). @return true: call it again
 *  before it is sent. */
bool request_encode(struct conversation *c, struct mt_ctx *x, uint64_t end);
/** Number of events in the log when the latest request was sent, or the agent started a
 *  step: later user messages are new to it. */
int64_t request_event_count(const struct conversation *c);
/** The agent starts a step, which may not send a request. */
void request_note_events(struct conversation *c);
/** Send the request of a work, which is stored until the exchange ends. Afterwards,
 *  even on failure, only `sent` of `x` is set. `index`: number of answered requests of
 *  this kind so far. */
int request_send(struct conversation *c, struct mt_ctx *x, int64_t index,
		 const struct llm_events *events, struct error *err);
/** Store a work whose request is being sent; takes `x`. @return the stored work,
 *  borrowed. NULL: out of memory. */
struct mt_ctx *request_keep(struct conversation *c, struct mt_ctx *x);
/** Is a request to a model, or an HTTP request of a plugin, in progress? */
bool request_is_open(const struct conversation *c);
/** Is a request of the agent in progress? */
bool request_is_of_agent(const struct conversation *c);
/** Is a request to a model in progress? */
bool request_has_exchange(const struct conversation *c);
/** End the request, which has its result. @return its work, which the caller clears. */
struct mt_ctx request_finish(struct conversation *c);
/** End the request, and free its work. */
void request_clear(struct conversation *c);
/** Cancel a request to a model, and free its work. An HTTP request must be cancelled
 *  with plugin_http_cancel before. */
void request_cancel(struct conversation *c);
/** Notifications about attempts of the exchange, for the log and the user. */
void request_on_retry(struct conversation *c, const struct llm_error *why,
		      int64_t wait_ms);
void request_on_resume(struct conversation *c);
void request_on_fallback(struct conversation *c, const struct llm_error *why,
			 const struct llm *next);

#endif
