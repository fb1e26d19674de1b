/* SPDX-License-Identifier: MIT
 *
 * serve.c - handles messages from a server: responses, notifications, requests. */
#include "client.h"
#include "clock.h"
#include "utf8.h"
#include <string.h>

enum { QUESTIONS_MAX = 16, CHANGED_MS = 2000 };

/* ---- requests ---------------------------------------------------------- */

static json_object *roots(struct client *c, const struct waiter *w, json_object *params)
{
	AUTO(json) json_object *result = json_object_new_object();
	AUTO(json) json_object *list = json_object_new_array();
	AUTO(strbuf) struct strbuf uri = STRBUF(1 << 16);

	(void)w, (void)params;
	strbuf_add(&uri, "file://");
	for (const char *p = c->config.directory; p && *p; p++)
		if (strchr("/-._~", *p) || (*p >= '0' && *p <= '9') ||
		    (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))
			strbuf_addc(&uri, *p);
		else
			strbuf_addf(&uri, "%%%02X", (unsigned char)*p);
	if (c->config.directory && !c->config.url) {
		json_object *root = json_object_new_object();

		if (uri.error || js_set_str(root, "uri", uri.text) ||
		    js_set_str(root, "name", "workspace")) {
			json_object_put(root);
			return NULL;
		}
		if (js_add_new(list, root))
			return NULL;
	}
	return js_set_new(result, "roots", STEAL(list)) ? NULL : STEAL(result);
}

/* The default values of the requested fields. */
static json_object *defaults(json_object *params)
{
	json_object *fields = js_path(params, "requestedSchema.properties");
	json_object *content = json_object_new_object();

	if (json_object_is_type(fields, json_type_object)) {
		json_object_object_foreach(fields, key, field) {
			json_object *value = js_get(field, "default");

			if (value)
				js_set_new(content, key, json_object_get(value));
		}
	}
	return content;
}

static json_object *elicit(struct client *c, const struct waiter *w, json_object *params)
{
	json_object *result;
	bool form = strcmp(js_str(params, "mode", "form"), "form") == 0;

	if (form && !c->config.accepts && w && w->elicit)
		return w->elicit(w->arg, params);
	result = json_object_new_object();
	js_set_str(result, "action", form && c->config.accepts ? "accept" : "decline");
	if (form && c->config.accepts)
		js_set_new(result, "content", defaults(params));
	return result;
}

static json_object *pong(struct client *c, const struct waiter *w, json_object *params)
{
	(void)c, (void)w, (void)params;
	return json_object_new_object();
}

json_object *mcp_client_serve(struct client *c, const struct waiter *w,
			      const char *method, json_object *params, int *ret_code,
			      const char **ret_text)
{
	static const struct {
		const char *method;
		json_object *(*serve)(struct client *c, const struct waiter *w,
				      json_object *params);
	} served[] = {
		{ "ping", pong },
		{ "roots/list", roots },
		{ "elicitation/create", elicit },
	};
	json_object *result;

	*ret_code = RPC_INTERNAL;
	*ret_text = status_name(MT_ENOMEM);
	for (size_t i = 0; i < ARRAY_LEN(served); i++) {
		if (strcmp(method, served[i].method) != 0)
			continue;
		result = served[i].serve(c, w, params);
		if (!js_failed(result))
			return result;
		json_object_put(result);
		return NULL;
	}
	*ret_code = RPC_METHOD_NOT_FOUND;
	*ret_text = strcmp(method, "sampling/createMessage") == 0
			    ? "this client does not allow sampling"
			    : "this client does not support this method";
	return NULL;
}

/* Pass an elicitation to a call that waits and can ask the user. */
static bool mcp_serve_hand_over(struct client *c, const struct rpc *m)
{
	struct pending *p = c->pendings;
	struct question *q, **at;
	int count = 0;

	while (p && !(p->waiter && p->waiter->elicit))
		p = p->next;
	if (!p)
		return false;
	for (at = &p->questions; *at; at = &(*at)->next)
		if (++count == QUESTIONS_MAX)
			return false;
	q = calloc(1, sizeof *q);
	if (!q)
		return false;
	q->doc = json_object_get(m->doc);
	*at = q;
	return true;
}

static void take_question(struct client *c, const struct rpc *m)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	AUTO(json) json_object *result = NULL;
	const char *text;
	int code;
	bool handed = false;

	if (strcmp(m->method, "elicitation/create") == 0 && !c->config.accepts) {
		pthread_mutex_lock(&c->lock);
		handed = mcp_serve_hand_over(c, m);
		pthread_cond_broadcast(&c->wake);
		pthread_mutex_unlock(&c->lock);
	}
	if (handed)
		return;
	result = mcp_client_serve(c, NULL, m->method, m->params, &code, &text);
	if (result)
		rpc_result(&b, m->id, result);
	else
		rpc_refusal(&b, m->id, code, text);
	if (!b.error)
		c->transport->send(c, b.text, b.len, NULL, NULL);
}

/* ---- notifications ----------------------------------------------------- */

int64_t serve_check_changes(struct client *c, bool now)
{
	int64_t left;
	bool tell = false;

	pthread_mutex_lock(&c->lock);
	left = !c->changed_due ? -1 : now ? 0 : c->changed_at + CHANGED_MS - clock_ms();
	if (c->changed_due && left <= 0) {
		c->changed_due = false;
		c->changed_at = clock_ms();
		tell = true;
		left = -1;
	}
	pthread_mutex_unlock(&c->lock);
	if (tell && c->config.changed)
		c->config.changed(c->config.arg);
	return left;
}

static void mcp_serve_take_progress(struct client *c, json_object *params)
{
	int64_t token = js_int(params, "progressToken", -1);

	for (struct pending *p = c->pendings; p; p = p->next) {
		if (p->id != token)
			continue;
		p->alive_at = clock_ms();
		if (p->waiter && p->waiter->progress)
			p->waiter->progress(p->waiter->arg,
					    js_number(params, "progress", 0),
					    js_number(params, "total", 0),
					    js_str(params, "message", NULL));
	}
}

static void mcp_serve_take_log(struct client *c, json_object *params)
{
	json_object *data = js_get(params, "data");
	const char *text = js_text(data, NULL);
	size_t len = text ? strlen(text) : 0;

	client_log(c, MT_LOG_DEBUG, "%.20s: %.*s", js_str(params, "level", "info"),
		   (int)utf8_cut(text ? text : "", len, 500), text ? text : "");
}

static void mcp_serve_take_notice(struct client *c, const struct rpc *m)
{
	size_t len = strlen(m->method);
	static const char changed[] = "/list_changed";

	if (strcmp(m->method, "notifications/progress") == 0) {
		pthread_mutex_lock(&c->lock);
		mcp_serve_take_progress(c, m->params);
		pthread_mutex_unlock(&c->lock);
	} else if (strcmp(m->method, "notifications/message") == 0) {
		mcp_serve_take_log(c, m->params);
	} else if (len > sizeof changed &&
		   strcmp(m->method + len - (sizeof changed - 1), changed) == 0) {
		pthread_mutex_lock(&c->lock);
		c->changed_due = true;
		pthread_mutex_unlock(&c->lock);
		serve_check_changes(c, false);
	}
}

/* ---- responses --------------------------------------------------------- */

static void serve_take_answer(struct client *c, const struct rpc *m)
{
	bool known = false;

	pthread_mutex_lock(&c->lock);
	for (struct pending *p = c->pendings; p; p = p->next)
		if (p->id == m->number && !p->done) {
			p->answer = json_object_get(m->doc);
			p->done = known = true;
		}
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	if (!known && m->kind == RPC_ERROR && !m->id)
		client_log(c, MT_LOG_WARNING, "the server reported an error: %.200s",
			   js_str(m->body, "message", ""));
}

static void mcp_serve_take_message(struct client *c, const struct rpc *m)
{
	switch (m->kind) {
	case RPC_REQUEST:
		take_question(c, m);
		break;
	case RPC_NOTIFICATION:
		mcp_serve_take_notice(c, m);
		break;
	default:
		serve_take_answer(c, m);
	}
}

static void mcp_serve_on_message(const struct rpc *m, void *arg)
{
	mcp_serve_take_message(arg, m);
}

void mcp_client_deliver(struct client *c, const char *text, size_t len)
{
	struct error err = ERROR_NONE;

	if (rpc_read(text, len, mcp_serve_on_message, c, &err))
		client_log(c, MT_LOG_DEBUG, "ignored a line: %s", err.text);
}
