/* SPDX-License-Identifier: MIT
 *
 * exchange.c - one model request: encoded once, and sent until it is answered or retries
 * are pointless.
 *
 * An exchange lives until its timer handle is closed, which happens after the callback
 * that ended it. So it can be cancelled in any callback. */
#include "llm/llm-internal.h"
#include "fncall/fncall.h"
#include "log.h"
#include "registry/guard.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- life --------------------------------------------------------------- */

void exchange_clear(struct llm_exchange *x)
{
	exchange_reset_attempt(x);
	x->tools = fncall_tools_free(x->tools);
	strbuf_clear(&x->url);
	body_clear(&x->body);
	for (size_t i = 0; i < x->header_count; i++) {
		explicit_bzero(x->headers[i], strlen(x->headers[i]));
		free(x->headers[i]);
	}
	x->header_count = 0;
}

static void exchange_on_closed(uv_handle_t *h)
{
	struct llm_exchange *x = h->data;

	exchange_clear(x);
	free(x);
}

/* Keep the body, so that the next request to this model starts from it. */
static void reuse_body_later(struct llm_exchange *x)
{
	struct llm_body old = x->llm->kept;

	if (x->body.bytes.len > LLM_KEEP_BODY || x->no_cache)
		return;
	x->llm->kept = x->body;
	x->body = old;
}

void exchange_end(struct llm_exchange *x)
{
	if (x->ended)
		return;
	x->ended = true;
	if (!x->http)
		reuse_body_later(x);
	*x->prev = x->next;
	if (x->next)
		x->next->prev = x->prev;
	if (x->http)
		http_cancel(x->http);
	x->http = NULL;
	window_check_end(x);
	uv_timer_stop(&x->timer);
	uv_close((uv_handle_t *)&x->timer, exchange_on_closed);
}

void llm_cancel(struct llm_exchange *x)
{
	if (x)
		exchange_end(x);
}

static struct llm_exchange *exchange_new(struct llm *l, const struct llm_events *events,
					 void *arg)
{
	struct llm_exchange **list = llm_pool_exchanges(l->pool);
	struct llm_exchange *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	*x = (struct llm_exchange){
		.llm = l, .first = l, .events = *events, .arg = arg, .next = *list,
		.prev = list,
		.url = STRBUF(16384), .body = l->kept,
		.text = STRBUF(LLM_MAX_TEXT), .reasoning = STRBUF(LLM_MAX_TEXT),
		.opaque = STRBUF(LLM_MAX_TEXT), .error_text = STRBUF(4096),
		.answer_headers = STRBUF(LLM_MAX_ANSWER_HEADERS),
	};
	exchange_reset_attempt(x);
	if (uv_timer_init(llm_pool_loop(l->pool), &x->timer)) {
		free(x);
		return NULL;
	}
	l->kept = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	x->timer.data = x;
	if (*list)
		(*list)->prev = &x->next;
	*list = x;
	return x;
}

/* ---- the end of an attempt ---------------------------------------------- */

static char *strbuf_take_or_empty(struct strbuf *b)
{
	char *text = b->len ? strbuf_take(b) : strdup("");

	return text;
}

static int64_t elapsed_ms(const struct llm_exchange *x)
{
	return (int64_t)((uv_hrtime() - x->started) / 1000000);
}

static bool id_is_taken(const struct llm_reply *r, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(r->calls[i].id, id) == 0)
			return true;
	return false;
}

static int exchange_take_calls(struct llm_exchange *x, struct llm_reply *r)
{
	r->calls = calloc(x->call_count + 1, sizeof *r->calls);
	r->refusals = calloc(x->call_count + 1, sizeof *r->refusals);
	if (!r->calls || !r->refusals)
		return MT_ENOMEM;
	for (size_t i = 0; i < x->call_count; i++) {
		struct llm_piece *piece = &x->calls[i];
		struct llm_call *c = &r->calls[i];
		char id[64];

		if (piece->args.len == 0)
			strbuf_add(&piece->args, "{}");
		snprintf(id, sizeof id, "call_%" PRId64 "_%zu", x->reply_index, i);
		r->call_count = i + 1;
		c->args_len = piece->args.len;
		c->args = strbuf_take(&piece->args);
		c->name = piece->name ? STEAL(piece->name) : strdup("");
		c->id = piece->id && !id_is_taken(r, i, piece->id) ? STEAL(piece->id)
								   : strdup(id);
		r->refusals[i] = STEAL(piece->refusal);
		if (!c->args || !c->name || !c->id)
			return MT_ENOMEM;
	}
	return MT_OK;
}

static struct llm_reply *exchange_take_reply(struct llm_exchange *x)
{
	AUTO(llm_reply) struct llm_reply *r = calloc(1, sizeof *r);
	char id[64];

	if (!r)
		return NULL;
	snprintf(id, sizeof id, "reply_%" PRId64, x->reply_index);
	r->usage = x->usage;
	r->latency_ms = elapsed_ms(x);
	r->text_len = x->text.len;
	r->text = strbuf_take_or_empty(&x->text);
	r->reasoning = strbuf_take_or_empty(&x->reasoning);
	r->response_id = x->response_id ? STEAL(x->response_id) : strdup(id);
	r->model = strdup(x->llm->name);
	r->stop_reason = x->stop_reason ? STEAL(x->stop_reason)
					: strdup(x->call_count ? "tool_calls" : "stop");
	r->correction = STEAL(x->correction);
	r->is_guess = x->is_guess;
	if (x->opaque.len)
		r->opaque = strbuf_take(&x->opaque);
	if (!r->text || !r->reasoning || !r->response_id || !r->model ||
	    !r->stop_reason || exchange_take_calls(x, r))
		return NULL;
	return STEAL(r);
}

static void attempt_succeeded(struct llm_exchange *x)
{
	struct llm_events events = x->events;
	void *arg = x->arg;
	struct llm_reply *r = llm_adapt_reply(x) ? NULL : exchange_take_reply(x);

	if (!r) {
		x->hint.should = 0;
		retry_policy_on_failure(x, MT_ERROR_INTERNAL, status_name(MT_ENOMEM));
		return;
	}
	llm_record_usage(x->llm, &r->usage, x->header_cost, r->latency_ms);
	llm_estimate_learn(x->llm, x->request, r->usage.input);
	llm_request_log_write(x, r, NULL);
	log_line(MT_LOG_DEBUG, "llm", "%s responded in %" PRId64 " ms", x->llm->name,
		 r->latency_ms);
	exchange_end(x);
	events.done(arg, r);
}

/* True if the request was refused without a text; otherwise the text is the reply. */
static bool is_silent_refusal(const struct llm_exchange *x)
{
	return x->stop_reason && strcmp(x->stop_reason, "refusal") == 0 &&
	       !x->call_count && strspn(x->text.text, " \t\r\n") == x->text.len;
}

/* The dialect has seen the whole response. */
static void attempt_over(struct llm_exchange *x)
{
	const char *why = x->error_text.text;
	int kind = x->error_kind;

	if (x->ended)
		return;
	if (kind == MT_ERROR_BAD_REQUEST) /* the reason may be that it is too long */
		kind = llm_error_by_status(400, why);
	if (x->text.error || x->reasoning.error || x->opaque.error)
		retry_policy_on_failure(x, MT_ERROR_MALFORMED,
					"the response is too long");
	else if (kind > MT_ERROR_NONE)
		retry_policy_on_failure(x, kind, why);
	else if (kind == MT_ERROR_NONE || x->status >= 300)
		retry_policy_on_failure(
			x, llm_error_by_status(x->status, why),
			x->status >= 300 && x->status < 400
				? "server redirected to another address; redirects are not followed"
				: why);
	else if (is_silent_refusal(x))
		retry_policy_on_failure(x, MT_ERROR_CONTENT_POLICY,
					"the response was withheld");
	else if (!x->answered)
		retry_policy_on_empty_reply(x);
	else
		attempt_succeeded(x);
}

static void malformed_response(struct llm_exchange *x, int status)
{
	llm_dialect_host.error((struct mt_exchange *)x, MT_ERROR_MALFORMED, -1, "%s",
			       status == MT_ELIMIT ? "part of the response is too long"
						   : "cannot parse the response");
}

static void dialect_end(struct llm_exchange *x)
{
	struct guard_call outer = guard_enter(x->llm->component, "end");
	int status = x->llm->dialect->end(&llm_dialect_host, (struct mt_exchange *)x,
					  x->status);

	guard_leave(outer);
	if (status && x->error_kind == LLM_NO_ERROR)
		malformed_response(x, status);
}

static int dialect_feed(struct llm_exchange *x, const char *bytes, size_t len)
{
	struct guard_call outer = guard_enter(x->llm->component, "feed");
	int status = x->llm->dialect->feed(&llm_dialect_host, (struct mt_exchange *)x,
					   x->status, x->type, bytes, len);

	guard_leave(outer);
	if (status && x->error_kind == LLM_NO_ERROR)
		malformed_response(x, status);
	if (x->error_kind != LLM_NO_ERROR)
		return HTTP_STOP;
	return x->finished ? HTTP_ENOUGH : HTTP_MORE;
}

/* Report the reason given by the dialect, otherwise `what`. */
static int dialect_refused(struct llm_exchange *x, int status, const char *what,
			   struct error *err)
{
	if (x->error_kind != LLM_NO_ERROR)
		return fail(err, status, "%s", x->error_text.text);
	return fail(err, status, "%s: %s (%s)", x->llm->name, what, status_name(status));
}

/* ---- an attempt over HTTP ----------------------------------------------- */

/* Ignore a header that does not fit. */
static void store_header(struct llm_exchange *x, const char *name, const char *value)
{
	size_t size = strlen(name) + strlen(value) + 2;

	if (x->answer_headers.len + size < LLM_MAX_ANSWER_HEADERS) {
		strbuf_addn(&x->answer_headers, name, strlen(name) + 1);
		strbuf_addn(&x->answer_headers, value, strlen(value) + 1);
	}
}

/* Dollars; -1 if the text is not a number. */
static double read_cost(const char *text)
{
	char *end;
	double cost = strtod(text, &end);

	return end == text ? -1 : cost;
}

static void attempt_on_header(void *arg, int status, const char *name, const char *value)
{
	struct llm_exchange *x = arg;

	x->status = status;
	if (!*name) {
		x->hint = (struct backoff_hint)BACKOFF_NO_HINT;
		strbuf_reset(&x->answer_headers);
		return;
	}
	store_header(x, name, value);
	if (strcasecmp(name, "content-type") == 0)
		snprintf(x->type, sizeof x->type, "%s", value);
	else if (strcasecmp(name, "x-litellm-response-cost") == 0)
		x->header_cost = read_cost(value);
	else
		backoff_read_header(&x->hint, name, value, (int64_t)time(NULL));
}

static void attempt_on_stall(uv_timer_t *timer)
{
	struct llm_exchange *x = timer->data;

	if (x->http)
		http_cancel(x->http);
	x->http = NULL;
	retry_policy_on_failure(x, MT_ERROR_TIMEOUT,
				x->received ? "the response stalled"
					    : "no response within stall_timeout");
}

static int attempt_on_body(void *arg, const char *bytes, size_t len)
{
	struct llm_exchange *x = arg;

	x->received += len;
	if (x->llm->stall_ms)
		uv_timer_start(&x->timer, attempt_on_stall, (uint64_t)x->llm->stall_ms,
			       0);
	if (x->received > LLM_MAX_ANSWER) {
		llm_dialect_host.error((struct mt_exchange *)x, MT_ERROR_MALFORMED, -1,
				       "response larger than %d MiB",
				       LLM_MAX_ANSWER >> 20);
		return HTTP_STOP;
	}
	if (x->status >= 300 && x->received > LLM_MAX_ERROR)
		return HTTP_STOP;
	return dialect_feed(x, bytes, len);
}

static void attempt_on_done(void *arg, enum http_outcome outcome, const char *why)
{
	struct llm_exchange *x = arg;
	char text[512];

	x->http = NULL;
	uv_timer_stop(&x->timer);
	switch (outcome) {
	case HTTP_DONE:
	case HTTP_STOPPED:
		if (x->error_kind == LLM_NO_ERROR)
			dialect_end(x);
		attempt_over(x);
		return;
	case HTTP_NETWORK:
		/* some servers end a stream by closing the connection */
		if (x->received && x->status == 200 && x->error_kind == LLM_NO_ERROR) {
			dialect_end(x);
			if (x->error_kind == LLM_NO_ERROR) {
				attempt_over(x);
				return;
			}
		}
		retry_policy_on_failure(x, MT_ERROR_NETWORK, why);
		return;
	case HTTP_TIMEOUT:
		retry_policy_on_failure(x, MT_ERROR_TIMEOUT, why);
		return;
	case HTTP_TLS:
		snprintf(text, sizeof text,
			 "%s; to trust it, set ca_path or SSL_CERT_FILE", why);
		x->hint.should = 0;
		retry_policy_on_failure(x, MT_ERROR_NETWORK, text);
		return;
	case HTTP_TOO_LONG:
	case HTTP_REFUSED:
		x->hint.should = 0;
		retry_policy_on_failure(x, MT_ERROR_NETWORK, why);
		return;
	}
}

/* A signature is valid for minutes only, so each attempt has its own. */
static int sign_attempt(struct llm_exchange *x, struct error *err)
{
	const struct mt_http_post post = {
		.size = sizeof post, .url = x->url.text,
		.headers = (const char *const *)x->headers,
		.header_count = x->header_count, .body = x->body.bytes.text,
		.body_len = x->body.bytes.len, .time = (int64_t)time(NULL),
	};
	const struct mt_dialect *d = x->llm->dialect;
	struct guard_call outer = guard_enter(x->llm->component, "sign");
	int status = MT_HAS(d, sign) && d->sign
			     ? d->sign(&llm_dialect_host, (struct mt_exchange *)x, &post)
			     : MT_EUNSUPPORTED;

	guard_leave(outer);
	return status ? dialect_refused(x, status, "cannot sign the request", err)
		      : MT_OK;
}

static void drop_headers(struct llm_exchange *x, size_t keep)
{
	while (x->header_count > keep) {
		char *last = x->headers[--x->header_count];

		explicit_bzero(last, strlen(last));
		free(last);
	}
}

int exchange_post(struct llm_exchange *x, const struct http_events *events, void *arg,
		  int64_t timeout_ms, struct http_call **ret, struct error *err)
{
	const struct llm *l = x->llm;
	size_t encoded = x->header_count;
	int status = l->signs ? sign_attempt(x, err) : MT_OK;
	struct http_request r = {
		.url = x->url.text,
		.headers = (const char *const *)x->headers,
		.header_count = x->header_count,
		.body = x->body.bytes.text,
		.body_len = x->body.bytes.len,
		.timeout_ms = timeout_ms,
		.ca_path = config_get(l->config, l->section, "ca_path"),
		.proxy = config_get(l->config, l->section, "proxy"),
	};

	if (!status)
		status = http_start(l->pool, &r, events, arg, ret, err);
	drop_headers(x, encoded);
	return status;
}

/* ---- checks by the dialect -------------------------------------------------- */

int exchange_check(struct llm *l, struct error *err)
{
	struct llm_exchange *x = calloc(1, sizeof *x);
	struct guard_call outer;
	int status;

	if (!x)
		return out_of_memory(err);
	x->llm = x->first = l;
	x->error_text = STRBUF(4096);
	x->error_kind = LLM_NO_ERROR;
	outer = guard_enter(l->component, "check");
	status = l->dialect->check(&llm_dialect_host, (struct mt_exchange *)x,
				   l->key != NULL);
	guard_leave(outer);
	if (status)
		dialect_refused(x, status, "rejected by its dialect", err);
	strbuf_clear(&x->error_text);
	free(x);
	return status;
}

/* ---- an attempt without a network --------------------------------------- */

static void attempt_on_local(uv_timer_t *timer)
{
	struct llm_exchange *x = timer->data;

	x->status = 200;
	if (dialect_feed(x, "", 0) != HTTP_STOP && !x->ended)
		dialect_end(x);
	x->status = 0;
	attempt_over(x);
}

/* ---- sending ------------------------------------------------------------ */

static int attempt_begin(struct llm_exchange *x, struct error *err)
{
	static const struct http_events events = { attempt_on_header, attempt_on_body,
						   attempt_on_done };

	if (window_check_begin(x))
		return MT_OK;
	exchange_reset_attempt(x);
	x->attempt++;
	x->started = uv_hrtime();
	log_line(MT_LOG_DEBUG, "llm", "%s: attempt %d, %zu bytes", x->llm->name,
		 x->attempt, x->body.bytes.len);
	if (!x->local && x->llm->stall_ms && llm_feature(x->llm, "stream"))
		uv_timer_start(&x->timer, attempt_on_stall, (uint64_t)x->llm->stall_ms,
			       0);
	if (!x->local)
		return exchange_post(x, &events, x, x->llm->timeout_ms, &x->http, err);
	uv_timer_start(&x->timer, attempt_on_local, (uint64_t)x->delay_ms, 0);
	return MT_OK;
}

void exchange_begin(struct llm_exchange *x)
{
	struct error err = ERROR_NONE;

	if (attempt_begin(x, &err)) {
		x->hint.should = 0;
		retry_policy_on_failure(x, MT_ERROR_INTERNAL, err.text);
	}
}

/* Headers added by the user: "Name: value, Name: value", checked by llm_open. */
static int extra_headers(struct llm_exchange *x, struct error *err)
{
	const char *rest = config_get(x->llm->config, x->llm->section, "extra_headers");
	const char *item;
	size_t len;

	while (rest && option_list_next(&rest, &item, &len)) {
		AUTO(free) char *line = strndup(item, len);
		char *colon = line ? strchr(line, ':') : NULL;

		if (!line)
			return out_of_memory(err);
		if (!colon)
			continue;
		*colon++ = '\0';
		if (llm_dialect_host.header((struct mt_exchange *)x, line,
					    colon + strspn(colon, " \t")))
			return fail(err, MT_EINVAL,
				    "[%s] extra_headers: too many, or too long",
				    x->llm->section);
	}
	return MT_OK;
}

int exchange_encode(struct llm_exchange *x, const struct llm_request *request,
		    exchange_writer *write, struct error *err)
{
	AUTO(llm_request) struct llm_request *text = NULL;
	AUTO(json) json_object *params = NULL;
	AUTO(free) struct llm_tool *brief = NULL;
	struct llm_request sent = *request;
	struct guard_call outer;
	int status = llm_adapt_tools(x, request, &brief, err);

	if (brief)
		sent.tools = brief;
	if (!status)
		status = llm_adapt_request(x, &sent, &text, err);
	if (!status)
		status = llm_adapt_params(x, request, &params, err);
	if (status)
		return status;
	if (text)
		sent = *text;
	sent.params = params;
	if (x->llm != x->first)
		sent.stream = llm_feature(x->llm, "stream");
	llm_choose_media(x->llm, &sent);
	if (x->ahead)
		sent.message_count = x->ahead;
	body_begin(&x->body);
	outer = guard_enter(x->llm->component, "encode");
	status = write(&llm_dialect_host, (struct mt_exchange *)x,
		       (const struct mt_request *)&sent);
	guard_leave(outer);
	if (body_end(&x->body) && !status)
		status = x->body.bytes.error;
	if (!status)
		status = x->url.error;
	if (x->error_kind != LLM_NO_ERROR)
		return fail(err, MT_EINVAL, "%s", x->error_text.text);
	if (status == MT_ELIMIT)
		return fail(err, status, "%s: the request is larger than %d MiB",
			    x->llm->name, LLM_MAX_BODY >> 20);
	if (status)
		return fail(err, status, "%s: cannot encode the request (%s)",
			    x->llm->name, status_name(status));
	if (!x->local && x->url.len == 0)
		return fail(err, MT_EINVAL, "%s: the dialect set no URL", x->llm->name);
	return x->local ? MT_OK : extra_headers(x, err);
}

/* Discard the encoded request, so that it can be encoded in another form. */
static void unwrite(struct llm_exchange *x)
{
	for (size_t i = 0; i < x->header_count; i++) {
		explicit_bzero(x->headers[i], strlen(x->headers[i]));
		free(x->headers[i]);
	}
	x->header_count = 0;
	x->tools = fncall_tools_free(x->tools);
	strbuf_reset(&x->url);
	x->local = false;
	x->delay_ms = 0;
	if (x->no_cache) {
		body_clear(&x->body);
		x->body = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	}
}

int exchange_write_again(struct llm_exchange *x, struct error *err)
{
	int attempt = x->attempt, status;

	unwrite(x);
	exchange_reset_attempt(x);
	x->attempt = attempt + 1;
	status = exchange_encode(x, x->request, x->llm->dialect->encode, err);
	x->attempt = attempt;
	return status;
}

int exchange_move(struct llm_exchange *x, struct llm *next, struct error *err)
{
	reuse_body_later(x);
	body_clear(&x->body);
	x->llm = next;
	x->body = next->kept;
	next->kept = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	x->attempt = 0;
	x->raised_temperature = x->no_cache = x->size_checked = false;
	return exchange_write_again(x, err);
}

int llm_send(struct llm *l, const struct llm_request *request, int64_t reply_index,
	     const struct llm_events *events, void *arg, struct strbuf *record,
	     struct llm_exchange **ret, struct error *err)
{
	struct llm_exchange *x = exchange_new(l, events, arg);
	int status;

	if (!x)
		return out_of_memory(err);
	x->reply_index = reply_index;
	x->request = request;
	x->attempt = 1;
	status = exchange_encode(x, request, l->dialect->encode, err);
	x->attempt = 0;
	if (status)
		body_clear(&x->body);
	else if (record && strbuf_addn(record, x->body.bytes.text, x->body.bytes.len))
		status = fail(err, record->error, "cannot buffer the request");
	if (!status)
		status = attempt_begin(x, err);
	if (status) {
		exchange_end(x);
		return status;
	}
	if (ret)
		*ret = x;
	return MT_OK;
}
