/* SPDX-License-Identifier: MIT
 *
 * client.c - requests, their responses, and the state of the connection. */
#include "client.h"
#include "clock.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

enum { BACKOFF_FIRST_MS = 1000, BACKOFF_MAX_MS = 60000, LIVED_MS = 5000,
       INPUT_ROUNDS = 16 };

struct client *client_new(const struct client_config *config)
{
	struct client *c = calloc(1, sizeof *c);
	pthread_condattr_t monotonic;

	if (!c)
		return NULL;
	c->config = *config;
	c->transport = !config->url      ? &stdio_transport
		       : config->old_sse ? &sse_transport
					 : &http_transport;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->link_lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return c;
}

struct client *client_free(struct client *c)
{
	if (!c)
		return NULL;
	pthread_mutex_lock(&c->lock);
	c->closing = true;
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	c->transport->stop(c);
	json_object_put(c->capabilities);
	json_object_put(c->info);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->link_lock);
	pthread_cond_destroy(&c->wake);
	free(c);
	return NULL;
}

void client_log(struct client *c, int level, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!c->config.log)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->config.log(c->config.arg, level, text);
}

bool client_was_forgotten(struct client *c)
{
	bool forgotten;

	pthread_mutex_lock(&c->lock);
	forgotten = c->down && c->session_over;
	pthread_mutex_unlock(&c->lock);
	return forgotten;
}

bool client_is_down(struct client *c)
{
	bool down;

	pthread_mutex_lock(&c->lock);
	down = c->down;
	pthread_mutex_unlock(&c->lock);
	return down;
}

bool client_has(struct client *c, const char *capability)
{
	bool has;

	pthread_mutex_lock(&c->lock);
	has = c->capabilities ? js_get(c->capabilities, capability) != NULL
			      : strcmp(capability, "tools") == 0;
	pthread_mutex_unlock(&c->lock);
	return has;
}

/* ---- one request ------------------------------------------------------- */

static void mcp_client_wait_until(struct client *c, int64_t until)
{
	struct timespec t = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };

	pthread_cond_timedwait(&c->wake, &c->lock, &t);
}

static void answer_question(struct client *c, struct pending *p, json_object *doc)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	const char *text = NULL;
	int code = 0;
	AUTO(json) json_object *result =
		mcp_client_serve(c, p->waiter, js_str(doc, "method", ""),
				 js_get(doc, "params"), &code, &text);
	struct error err = ERROR_NONE;

	if (result)
		rpc_result(&b, js_get(doc, "id"), result);
	else
		rpc_refusal(&b, js_get(doc, "id"), code, text);
	if (b.error || c->transport->send(c, b.text, b.len, NULL, &err))
		client_log(c, MT_LOG_WARNING, "cannot send a response to the server: %s",
			   err.text);
}

static void answer_questions(struct client *c, struct pending *p)
{
	while (p->questions) {
		struct question *q = p->questions;

		p->questions = q->next;
		pthread_mutex_unlock(&c->lock);
		answer_question(c, p, q->doc);
		json_object_put(q->doc);
		free(q);
		pthread_mutex_lock(&c->lock);
		p->alive_at = clock_ms();
	}
}

static int64_t mcp_client_timeout_of(const struct client *c, const struct pending *p)
{
	return c->state == CLIENT_CONNECTING      ? c->config.connect_ms
	       : p->waiter && p->waiter->progress ? c->config.timeout_ms
						  : c->config.connect_ms;
}

int client_check_pending(struct client *c, struct pending *p, int64_t *ret_until,
			 struct error *err)
{
	int64_t until;

	answer_questions(c, p);
	until = p->alive_at + mcp_client_timeout_of(c, p);
	*ret_until = until;
	if (p->done)
		return MT_OK;
	if (c->closing ||
	    (p->waiter && p->waiter->cancelled && p->waiter->cancelled(p->waiter->arg)))
		return fail(err, MT_ECANCELLED, "the call was cancelled");
	if (c->down)
		return fail(err, MT_EIO, "%s", c->why.text);
	if (clock_ms() >= until)
		return fail(err, MT_ETIMEOUT,
			    "the server did not respond to `%s` within %.1f seconds",
			    p->method, (double)mcp_client_timeout_of(c, p) / 1000);
	return 1;
}

static void mcp_client_take_out(struct client *c, struct pending *p)
{
	for (struct pending **at = &c->pendings; *at; at = &(*at)->next)
		if (*at == p) {
			*at = p->next;
			break;
		}
	while (p->questions) {
		struct question *q = p->questions;

		p->questions = q->next;
		json_object_put(q->doc);
		free(q);
	}
}

/* The server may stop working on a cancelled request. */
static void tell_cancelled(struct client *c, const struct pending *p, int status)
{
	AUTO(json) json_object *params = json_object_new_object();

	if (strcmp(p->method, "initialize") == 0 ||
	    (c->config.url && c->era == ERA_MODERN))
		return;
	if (!js_set_int(params, "requestId", p->id) &&
	    !js_set_str(params, "reason",
			status == MT_ETIMEOUT ? "timed out" : "cancelled by the user"))
		mcp_client_notify(c, "notifications/cancelled", params, NULL);
}

int client_exchange(struct client *c, const char *method, json_object *params,
		    const struct waiter *w, int64_t timeout_ms, json_object **ret_answer,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf b = STRBUF(MCP_MESSAGE_MAX);
	struct pending p = { .method = method, .waiter = w, .params = params };
	int64_t until, limit = timeout_ms > 0 ? clock_ms() + timeout_ms : INT64_MAX;
	int status = MT_OK;

	pthread_mutex_lock(&c->lock);
	p.id = ++c->ids;
	p.alive_at = clock_ms();
	if (version_meta(c, params, p.id) || rpc_request(&b, p.id, method, params))
		status = out_of_memory(err);
	p.next = c->pendings;
	c->pendings = &p;
	pthread_mutex_unlock(&c->lock);
	if (!status)
		status = c->transport->send(c, b.text, b.len, &p, err);
	pthread_mutex_lock(&c->lock);
	if (!status) {
		while ((status = client_check_pending(c, &p, &until, err)) == 1) {
			if (clock_ms() >= limit) {
				status = fail(err, MT_ETIMEOUT, "no response to `%s`",
					      method);
				break;
			}
			mcp_client_wait_until(c, until < limit ? until : limit);
		}
	}
	mcp_client_take_out(c, &p);
	pthread_mutex_unlock(&c->lock);
	if (status == MT_ECANCELLED || status == MT_ETIMEOUT)
		tell_cancelled(c, &p, status);
	if (status)
		json_object_put(p.answer);
	else
		*ret_answer = p.answer;
	return status;
}

int mcp_client_notify(struct client *c, const char *method, json_object *params,
		      struct error *err)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	if (rpc_notification(&b, method, params))
		return out_of_memory(err);
	return c->transport->send(c, b.text, b.len, NULL, err);
}

/* ---- requests that need input -------------------------------------------- */

/* Add the answers for a result that requests input to `params`. */
static int mcp_client_add_input(struct client *c, json_object *params,
				json_object *result, const struct waiter *w,
				struct error *err)
{
	json_object *asked = js_get(result, "inputRequests");
	json_object *state = js_get(result, "requestState");
	json_object *answers = json_object_new_object();

	json_object_object_del(params, "requestState");
	json_object_object_del(params, "inputResponses");
	if (!answers)
		return out_of_memory(err);
	if (json_object_is_type(asked, json_type_object)) {
		json_object_object_foreach(asked, key, question) {
			const char *text;
			int code;
			json_object *one =
				mcp_client_serve(c, w, js_str(question, "method", ""),
						 js_get(question, "params"), &code,
						 &text);

			if (js_set_new(answers, key, one)) {
				json_object_put(answers);
				if (one || code == RPC_INTERNAL)
					return out_of_memory(err);
				return fail(
					err, MT_EUNSUPPORTED,
					"the server requests `%.80s`, which is not supported",
					js_str(question, "method", ""));
			}
		}
	}
	if (json_object_object_length(answers) == 0)
		json_object_put(answers);
	else if (js_set(params, "inputResponses", answers))
		return out_of_memory(err);
	if (state && js_set(params, "requestState", json_object_get(state)))
		return out_of_memory(err);
	return MT_OK;
}

static int client_take_answer(const char *method, json_object *answer, json_object **ret,
			      json_object **ret_error, struct error *err)
{
	json_object *error = js_get(answer, "error"), *result = js_get(answer, "result");

	if (error) {
		rpc_error_text(error, err);
		if (ret_error)
			*ret_error = json_object_get(error);
		return MT_EIO;
	}
	if (!json_object_is_type(result, json_type_object))
		return fail(err, MT_EIO,
			    "malformed response to `%s`: its result is not an object",
			    method);
	*ret = json_object_get(result);
	return MT_OK;
}

int mcp_client_request(struct client *c, const char *method, json_object *params,
		       const struct waiter *w, json_object **ret, json_object **ret_error,
		       struct error *err)
{
	for (int round = 0; round < INPUT_ROUNDS; round++) {
		AUTO(json) json_object *answer = NULL;
		AUTO(json) json_object *result = NULL;
		int status = client_exchange(c, method, params, w, 0, &answer, err);

		if (!status)
			status = client_take_answer(method, answer, &result, ret_error,
						    err);
		if (status)
			return status;
		if (strcmp(js_str(result, "resultType", "complete"), "input_required") !=
		    0) {
			*ret = STEAL(result);
			return MT_OK;
		}
		status = mcp_client_add_input(c, params, result, w, err);
		if (status)
			return status;
	}
	return fail(err, MT_ELIMIT, "the server requested input too many times");
}

/* ---- the connection ---------------------------------------------------- */

void client_wake(struct client *c)
{
	pthread_mutex_lock(&c->lock);
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	if (c->config.url)
		http_wake(c);
}

static void back_off(struct client *c)
{
	int64_t pause = BACKOFF_FIRST_MS;

	for (unsigned i = 0; i < c->failures && pause < BACKOFF_MAX_MS; i++)
		pause *= 2;
	c->failures++;
	c->retry_at = clock_ms() + (pause < BACKOFF_MAX_MS ? pause : BACKOFF_MAX_MS);
}

/* Count exits: a server that exits immediately, again and again, is restarted with
 * increasing delays. */
static void count_death(struct client *c)
{
	if (clock_ms() - c->ready_at > LIVED_MS)
		c->quick_deaths = 0;
	else if (c->quick_deaths++ > 0)
		back_off(c);
}

void client_down(struct client *c, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&c->lock);
	if (!c->down) {
		c->down = true;
		c->why = ERROR_NONE;
		va_start(ap, fmt);
		fail_va(&c->why, MT_EIO, fmt, ap);
		va_end(ap);
		if (c->state == CLIENT_READY) {
			c->state = CLIENT_DOWN;
			count_death(c);
		}
	}
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

/* Called with the lock held, by the one thread that connects. */
static int connect_now(struct client *c, const struct waiter *w, struct error *err)
{
	int status;

	c->state = CLIENT_CONNECTING;
	c->down = false;
	c->protocol[0] = '\0';
	pthread_mutex_unlock(&c->lock);
	c->transport->stop(c); /* clean up the previous connection */
	status = version_open(c, w, err);
	if (status)
		c->transport->stop(c);
	else if (c->transport->ready)
		c->transport->ready(c);
	pthread_mutex_lock(&c->lock);
	c->state = status || c->down ? CLIENT_DOWN : CLIENT_READY;
	if (!status) {
		c->ready_at = clock_ms();
		c->failures = c->quick_deaths;
	} else if (status != MT_ECANCELLED) {
		back_off(c);
		c->why = *err;
	}
	pthread_cond_broadcast(&c->wake);
	return status;
}

int client_connect(struct client *c, const struct waiter *w, struct error *err)
{
	int status = MT_OK;

	pthread_mutex_lock(&c->lock);
	while (!status && c->state == CLIENT_CONNECTING) {
		mcp_client_wait_until(c, clock_ms() + 60000);
		if (c->closing || (w && w->cancelled && w->cancelled(w->arg)))
			status = fail(err, MT_ECANCELLED, "the call was cancelled");
	}
	if (!status && c->state != CLIENT_READY) {
		int64_t wait = c->retry_at - clock_ms();

		if (wait > 0)
			status = fail(err, MT_EIO, "%s; retrying in %lld s", c->why.text,
				      (long long)(wait + 999) / 1000);
		else
			status = connect_now(c, w, err);
	}
	pthread_mutex_unlock(&c->lock);
	return status;
}
