/* SPDX-License-Identifier: MIT
 *
 * asks.c - passes requests of tools to the client that called them. A client with a
 * handshake receives them as requests of the server. Another client receives them as the
 * result of its request, which it repeats with the answers; until then the call is
 * parked. */
#include "internal.h"
#include "hex.h"

#include <inttypes.h>
#include <mortise/tool.h>
#include <string.h>
#include <sys/random.h>

enum {
	ASKS_MAX = 64,      /* open ones of a call */
	PARKED_MAX = 64,    /* calls; the oldest is cancelled */
	ASK_CHECK_MS = 500,
	ASK_WAIT_MS = 60000, /* for an answer, while another call waits for the toolset; */
	ASK_SHARE = 16,      /* or a part of the time limit of the call, if that is less */
	TOKENS = 1024,      /* of a completion for which the tool names no limit */
};

/* ---- client capabilities ----------------------------------------------------------- */

static bool is_elicited(json_object *result)
{
	static const char *const actions[] = { "accept", "decline", "cancel" };
	const char *action = js_str(result, "action", "");

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (strcmp(actions[i], action) == 0)
			return true;
	return false;
}

static bool is_sampled(json_object *result)
{
	return js_get(result, "content");
}

static bool is_roots(json_object *result)
{
	return json_object_is_type(js_get(result, "roots"), json_type_array);
}

static const struct request_kind {
	const char *method, *capability;
	bool (*valid)(json_object *result);
} request_kinds[] = {
	{ "elicitation/create", "elicitation", is_elicited },
	{ "sampling/createMessage", "sampling", is_sampled },
	{ "roots/list", "roots", is_roots },
};

static const struct request_kind *mcp_asks_kind_of(json_object *request)
{
	const char *method = js_str(request, "method", "");

	for (size_t i = 0; i < ARRAY_LEN(request_kinds); i++)
		if (strcmp(request_kinds[i].method, method) == 0)
			return &request_kinds[i];
	return NULL;
}

json_object *mcp_capabilities(const struct mcp_request *q)
{
	if (q->modern)
		return js_get(js_get(q->params, "_meta"), META "clientCapabilities");
	return q->peer->known ? q->peer->known->capabilities : NULL;
}

bool mcp_client_can(json_object *capabilities, const char *name)
{
	json_object *one = js_get(capabilities, name);

	if (!json_object_is_type(one, json_type_object))
		return false;
	/* Forms are supported, unless the client names only another mode. */
	return strcmp(name, "elicitation") != 0 || json_object_object_length(one) == 0 ||
	       js_get(one, "form");
}

/* ---- requests of tools -------------------------------------------------------------- */

/* {KEY: {method, params}} */
static json_object *one_request(struct mcp_call *c, const char *method,
				json_object *params)
{
	json_object *all = js_new_object(), *one = js_new_object();
	char key[32];

	snprintf(key, sizeof key, "request-%u", ++c->asked);
	js_set_str(one, "method", method);
	js_set_new(one, "params", params);
	js_set_new(all, key, one);
	return all;
}

static json_object *mcp_ask_user(struct mcp_call *c, json_object *params)
{
	json_object *choices = js_get(params, "choices");
	json_object *form = js_new_object(), *schema = js_new_object(),
		    *properties = js_new_object(), *answer = js_new_object();

	js_set_str(answer, "type", "string");
	if (js_length(choices))
		js_set(answer, "enum", json_object_get(choices));
	js_set_new(properties, "answer", answer);
	js_set_str(schema, "type", "object");
	js_set_new(schema, "properties", properties);
	js_set_new(schema, "required", js_texts("answer", NULL));
	js_set_str(form, "message", js_str(params, "question", ""));
	js_set_new(form, "requestedSchema", schema);
	return one_request(c, "elicitation/create", form);
}

static json_object *mcp_asks_text_content(const char *text)
{
	json_object *content = js_new_object();

	js_set_str(content, "type", "text");
	js_set_str(content, "text", text);
	return content;
}

static json_object *mcp_ask_model(struct mcp_call *c, json_object *params)
{
	json_object *given = js_get(params, "messages"), *messages = js_new_list();
	json_object *request = js_new_object();
	AUTO(strbuf) struct strbuf system = STRBUF(4 << 20);

	for (size_t i = 0; i < js_length(given); i++) {
		json_object *message = json_object_array_get_idx(given, i), *o;
		const char *role = js_str(message, "role", "user"),
			   *text = js_str(message, "content", "");

		if (strcmp(role, "system") == 0) {
			strbuf_addf(&system, "%s%s", system.len ? "\n\n" : "", text);
			continue;
		}
		o = js_new_object();
		js_set_str(o, "role", role);
		js_set_new(o, "content", mcp_asks_text_content(text));
		js_add_new(messages, o);
	}
	js_set_new(request, "messages", messages);
	if (system.len)
		js_set_strn(request, "systemPrompt", system.text, system.len);
	if (system.error)
		js_fail(request);
	js_set_int(request, "maxTokens", js_int(params, "max_tokens", TOKENS));
	return one_request(c, "sampling/createMessage", request);
}

/* The requests that the client can answer. NULL if the params or one of the requests are
 * invalid. */
static json_object *ask_client(struct mcp_call *c, json_object *params)
{
	json_object *given = js_get(params, "requests"), *all = js_new_object();
	const char *lacks = NULL;

	if (!json_object_is_type(given, json_type_object) ||
	    json_object_object_length(given) == 0)
		goto invalid;
	json_object_object_foreach(given, key, request) {
		const struct request_kind *kind = mcp_asks_kind_of(request);

		if (!kind)
			goto invalid;
		if (mcp_client_can(c->capabilities, kind->capability))
			js_set(all, key, json_object_get(request));
		else
			lacks = kind->capability;
	}
	if (json_object_object_length(all) == 0)
		c->lacks = lacks;
	return all;
invalid:
	json_object_put(all);
	return NULL;
}

/* ---- their answers ------------------------------------------------------------------- */

static json_object *mcp_asks_first_of(json_object *responses)
{
	json_object_object_foreach(responses, key, value) {
		(void)key;
		return value;
	}
	return NULL;
}

/* @return MT_OK with an object, owned, or a status with `*ret_why`. */
static int user_answered(json_object *responses, json_object **ret, const char **ret_why)
{
	json_object *result = mcp_asks_first_of(responses);
	const char *answer = js_str(js_get(result, "content"), "answer", NULL);

	if (strcmp(js_str(result, "action", ""), "accept") != 0) {
		*ret_why = "the user declined to answer";
		return MT_EDENIED;
	}
	if (!answer) {
		*ret_why = "the client sent no answer";
		return MT_EINVAL;
	}
	*ret = js_new_object();
	js_set_str(*ret, "answer", answer);
	return MT_OK;
}

static int model_answered(json_object *responses, json_object **ret, const char **ret_why)
{
	json_object *result = mcp_asks_first_of(responses),
		    *content = js_get(result, "content");

	if (json_object_is_type(content, json_type_array))
		content =
			js_length(content) ? json_object_array_get_idx(content, 0) : NULL;
	if (!js_str(content, "text", NULL)) {
		*ret_why = "the client sent no text";
		return MT_EINVAL;
	}
	*ret = js_new_object();
	js_set_str(*ret, "text", js_str(content, "text", ""));
	js_set_str(*ret, "stop_reason", js_str(result, "stopReason", "endTurn"));
	js_set_str(*ret, "model", js_str(result, "model", ""));
	return MT_OK;
}

static int client_answered(json_object *responses, json_object **ret,
			   const char **ret_why)
{
	(void)ret_why;
	*ret = js_new_object();
	js_set(*ret, "responses", json_object_get(responses));
	return MT_OK;
}

static const struct ask_kind {
	const char *method;
	json_object *(*requests)(struct mcp_call *c, json_object *params);
	int (*answered)(json_object *responses, json_object **ret, const char **ret_why);
} ask_kinds[] = {
	{ "user/ask", mcp_ask_user, user_answered },
	{ "model/complete", mcp_ask_model, model_answered },
	{ "client/ask", ask_client, client_answered },
};

struct mcp_ask {
	struct mcp_ask *next;
	uint64_t request; /* of the runner */
	const struct ask_kind *kind;
	json_object *requests, *responses; /* {KEY: {method, params}}, {KEY: result} */
	int64_t first_id;                  /* id of the first request; the n-th: plus n */
	uint64_t since;                    /* ms of the loop */
};

static void mcp_ask_free(struct mcp_ask *a)
{
	json_object_put(a->requests);
	json_object_put(a->responses);
	free(a);
}

void mcp_asks_clear(struct mcp_call *c)
{
	struct mcp_ask *a;

	while ((a = c->asks)) {
		c->asks = a->next;
		mcp_ask_free(a);
	}
}

static void ask_remove(struct mcp_call *c, struct mcp_ask *a)
{
	for (struct mcp_ask **at = &c->asks; *at; at = &(*at)->next)
		if (*at == a) {
			*at = a->next;
			break;
		}
	mcp_ask_free(a);
}

static bool mcp_asks_is_complete(const struct mcp_ask *a)
{
	return json_object_object_length(a->responses) ==
	       json_object_object_length(a->requests);
}

/* Answer the tool, and free its request. */
static void mcp_asks_finish(struct mcp_server *s, struct mcp_call *c, struct mcp_ask *a)
{
	AUTO(json) json_object *result = NULL;
	const char *why = status_name(MT_ENOMEM), *text = NULL;
	size_t len = 0;
	int status = a->kind->answered(a->responses, &result, &why);

	if (!status)
		text = js_text(result, &len);
	if (text)
		runner_answer(s->link, a->request, MT_OK, text, len);
	else
		runner_refuse(s->link, a->request, status ? status : MT_ENOMEM, why);
	ask_remove(c, a);
}

/* Store the valid answers; the others are requested again from the client. */
static void take_responses(struct mcp_ask *a, json_object *responses)
{
	json_object_object_foreach(a->requests, key, request) {
		json_object *result = js_get(responses, key);

		if (result && mcp_asks_kind_of(request)->valid(result))
			js_set(a->responses, key, json_object_get(result));
	}
}

/* ---- clients without a handshake ------------------------------------------------------- */

static bool new_state(struct mcp_call *c)
{
	unsigned char bytes[(sizeof c->state - 1) / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return false;
	hex_write(bytes, sizeof bytes, c->state);
	return true;
}

/* The list starts with the newest call. */
static void limit_parked(struct mcp_server *s)
{
	size_t count = 0;

	for (struct mcp_call *c = s->calls; c; c = c->next)
		if (*c->state && ++count > PARKED_MAX)
			runner_cancel(s->link, c->number);
}

/* The result is a list of requests; the call continues when the client has answered
 * them. */
static void park(struct mcp_server *s, struct mcp_call *c)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	struct mcp_client *peer = c->peer;

	if (!new_state(c)) {
		runner_cancel(s->link, c->number);
		return;
	}
	mcp_begin_reply(&b, c->id, "result");
	js_key_str(&b, "resultType", "input_required");
	js_key(&b, "inputRequests");
	strbuf_addc(&b, '{');
	for (struct mcp_ask *a = c->asks; a; a = a->next) {
		json_object_object_foreach(a->requests, key, request) {
			if (js_get(a->responses, key))
				continue;
			js_key(&b, key);
			js_put(&b, request);
		}
	}
	strbuf_addc(&b, '}');
	js_key_str(&b, "requestState", c->state);
	strbuf_add(&b, "}}");
	c->peer = NULL;
	limit_parked(s);
	if (b.error)
		mcp_send_error(peer, c->id, RPC_INTERNAL, "the requests are too large",
			       NULL);
	else
		mcp_send(peer, &b);
}

bool mcp_call_resume(const struct mcp_request *q)
{
	const char *state = js_str(q->params, "requestState", NULL);
	struct mcp_call *c = q->server->calls;

	if (!q->modern || !state)
		return false;
	while (c && !(*c->state && strcmp(c->state, state) == 0 &&
		      strcmp(c->tool, js_str(q->params, "name", "")) == 0))
		c = c->next;
	if (!c) {
		mcp_refuse_params(q, "unknown or expired requestState");
		return true;
	}
	*c->state = '\0';
	c->peer = q->peer;
	mcp_call_set_request(c, q);
	for (struct mcp_ask *a = c->asks, *next; a; a = next) {
		next = a->next;
		take_responses(a, c->responses);
		if (mcp_asks_is_complete(a))
			mcp_asks_finish(q->server, c, a);
	}
	if (c->asks)
		park(q->server, c);
	return true;
}

/* ---- clients with a handshake ---------------------------------------------------------- */

static void send_requests(struct mcp_server *s, struct mcp_call *c, struct mcp_ask *a)
{
	int64_t id = a->first_id;

	json_object_object_foreach(a->requests, key, request) {
		AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);

		(void)key;
		strbuf_add(&b, "{\"jsonrpc\":\"2.0\"");
		js_key_int(&b, "id", id++);
		js_key_str(&b, "method", js_str(request, "method", ""));
		js_key(&b, "params");
		if (js_get(request, "params"))
			js_put(&b, js_get(request, "params"));
		else
			strbuf_add(&b, "{}");
		strbuf_addc(&b, '}');
		if (c->peer) /* the previous request may have ended it */
			c->peer->send(c->peer, &b, false, 0);
	}
	s->ask_ids = id;
}

/* Find the ask with this request id, and the key of the request. */
static struct mcp_ask *ask_of_id(struct mcp_call *c, int64_t id, const char **ret_key)
{
	for (struct mcp_ask *a = c->asks; a; a = a->next) {
		int64_t n = a->first_id;

		json_object_object_foreach(a->requests, key, request) {
			(void)request;
			*ret_key = key;
			if (n++ == id)
				return a;
		}
	}
	return NULL;
}

static void take_response(struct mcp_server *s, struct mcp_call *c, struct mcp_ask *a,
			  const char *key, json_object *doc)
{
	AUTO(strbuf) struct strbuf why = STRBUF(1 << 16);
	json_object *result = js_get(doc, "result");

	if (!result || !mcp_asks_kind_of(js_get(a->requests, key))->valid(result)) {
		strbuf_addf(&why, "the client did not answer: %s",
			    js_str(js_get(doc, "error"), "message", "invalid result"));
		runner_refuse(s->link, a->request, MT_EDENIED, why.text);
		ask_remove(c, a);
		return;
	}
	js_set(a->responses, key, json_object_get(result));
	if (mcp_asks_is_complete(a))
		mcp_asks_finish(s, c, a);
}

void mcp_asks_answered(struct mcp_server *s, const struct mcp_client *p, json_object *doc)
{
	json_object *id = js_get(doc, "id");
	const char *key = NULL;

	if (!json_object_is_type(id, json_type_int))
		return;
	for (struct mcp_call *c = s->calls; c; c = c->next) {
		struct mcp_ask *a =
			!c->modern && mcp_is_same_client(c->peer, p)
				? ask_of_id(c, json_object_get_int64(id), &key)
				: NULL;

		if (a) {
			take_response(s, c, a, key, doc);
			return;
		}
	}
}

/* ---- both -------------------------------------------------------------------------------- */

static const struct ask_kind *ask_kind_named(const char *method)
{
	for (size_t i = 0; i < ARRAY_LEN(ask_kinds); i++)
		if (strcmp(ask_kinds[i].method, method) == 0)
			return &ask_kinds[i];
	return NULL;
}

/* A capability that the client lacks for one of the requests; NULL: none. */
static const char *lacking(const struct mcp_call *c, json_object *requests)
{
	json_object_object_foreach(requests, key, request) {
		(void)key;
		if (!mcp_client_can(c->capabilities,
				    mcp_asks_kind_of(request)->capability))
			return mcp_asks_kind_of(request)->capability;
	}
	return NULL;
}

/* ---- clients that do not answer ----------------------------------------------------------- */

/* Time that a call may wait for an answer while others wait for its toolset. */
static uint64_t patience_ms(const struct mcp_server *s, const struct mcp_call *c)
{
	int64_t deadline = s->catalog->instances[c->instance].deadline_ms;

	return deadline > 0 && deadline / ASK_SHARE < ASK_WAIT_MS
		       ? (uint64_t)(deadline / ASK_SHARE)
		       : ASK_WAIT_MS;
}

/* True if another call waits for the toolset. */
static bool is_awaited(const struct mcp_server *s, const struct mcp_call *c)
{
	for (const struct mcp_call *o = s->calls; o; o = o->next)
		if (o != c && o->instance == c->instance && !o->asks)
			return true;
	return false;
}

/* A client that does not respond must not block a toolset that runs one call at a
 * time. */
static void on_ask_timer(uv_timer_t *timer)
{
	struct mcp_server *s = timer->data;
	bool open = false;

	for (struct mcp_call *c = s->calls; c; c = c->next) {
		if (c->asks && uv_now(s->loop) - c->asks->since > patience_ms(s, c) &&
		    is_awaited(s, c)) {
			runner_refuse(s->link, c->asks->request, MT_ETIMEOUT,
				      "the client did not answer, and other calls wait");
			ask_remove(c, c->asks);
		}
		open |= c->asks != NULL;
	}
	if (!open)
		uv_timer_stop(timer);
}

static struct mcp_ask *mcp_ask_new(struct mcp_server *s, struct mcp_call *c,
				   uint64_t request, const struct ask_kind *kind,
				   json_object *requests)
{
	struct mcp_ask *a = calloc(1, sizeof *a), **end = &c->asks;
	size_t count = 0;

	for (; *end; end = &(*end)->next)
		count++;
	if (!a || count >= ASKS_MAX) {
		free(a);
		return NULL;
	}
	*a = (struct mcp_ask){ .request = request,
			       .kind = kind,
			       .requests = json_object_get(requests),
			       .responses = js_new_object(),
			       .since = uv_now(s->loop),
			       .first_id = s->ask_ids };
	*end = a;
	if (!uv_is_active((uv_handle_t *)&s->ask_timer))
		uv_timer_start(&s->ask_timer, on_ask_timer, ASK_CHECK_MS, ASK_CHECK_MS);
	return a;
}

static void ask_start(struct mcp_server *s, struct mcp_call *c, struct mcp_ask *a)
{
	if (!c->modern) {
		send_requests(s, c, a);
		return;
	}
	take_responses(a, c->responses);
	if (mcp_asks_is_complete(a))
		mcp_asks_finish(s, c, a);
	else if (c->peer)
		park(s, c);
}

static void refuse_method(struct mcp_server *s, uint64_t request, const char *method)
{
	AUTO(strbuf) struct strbuf why = STRBUF(512);

	strbuf_addf(&why, "`mortise tools serve` does not support `%.100s`", method);
	runner_refuse(s->link, request, MT_EUNSUPPORTED, why.text);
}

void mcp_asks_request(struct mcp_server *s, struct mcp_call *c, uint64_t request,
		      const char *method, json_object *params)
{
	const struct ask_kind *kind = ask_kind_named(method);
	bool reachable = c && kind && !c->cancelled && (c->peer || *c->state) &&
			 (c->modern || !c->peer->one_answer);
	AUTO(json) json_object *requests = reachable ? kind->requests(c, params) : NULL;
	struct mcp_ask *a = NULL;

	if (!kind) {
		refuse_method(s, request, method);
	} else if (!reachable) {
		runner_refuse(s->link, request, MT_EUNSUPPORTED,
			      "no conversation is attached");
	} else if (!requests || js_incomplete(requests)) {
		runner_refuse(s->link, request, MT_EINVAL,
			      "invalid request to the client");
	} else if (json_object_object_length(requests) == 0 || lacking(c, requests)) {
		if (json_object_object_length(requests))
			c->lacks = lacking(c, requests);
		runner_refuse(s->link, request, MT_EUNSUPPORTED,
			      "the client does not support this request");
	} else if (!(a = mcp_ask_new(s, c, request, kind, requests))) {
		runner_refuse(s->link, request, MT_ELIMIT,
			      "too many open requests to the client");
	} else {
		ask_start(s, c, a);
	}
}
