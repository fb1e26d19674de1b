/* SPDX-License-Identifier: MIT
 *
 * http.c - streamable HTTP: each message is a POST; the response is a message or a stream
 * of messages. */
#include "http.h"
#include "clock.h"
#include "http-headers.h"
#include <string.h>

enum { POST_MS = 30000, LOGINS_MAX = 3 };

/* ---- headers of a request -------------------------------------------------- */

static int mcp_http_add_line(void *arg, const char *line)
{
	return transfer_header(arg, "%s", line);
}

/* Headers required by the protocol without a handshake. */
static int modern_headers(struct transfer *t, const struct pending *p)
{
	json_object *target =
		js_get(p->params,
		       strcmp(p->method, "resources/read") == 0 ? "uri" : "name");
	AUTO(strbuf) struct strbuf value = STRBUF(64 << 10);
	int status = transfer_header(t, "Mcp-Method: %s", p->method);

	if (!status && json_object_is_type(target, json_type_string)) {
		status = header_value(&value, json_object_get_string(target),
				      (size_t)json_object_get_string_len(target));
		if (!status)
			status = transfer_header(t, "Mcp-Name: %s", value.text);
	}
	if (!status && p->waiter && p->waiter->input)
		status = header_parameters(p->waiter->input,
					   js_get(p->params, "arguments"),
					   mcp_http_add_line, t);
	return status;
}

static int post_headers(struct transfer *t, const struct pending *p)
{
	int status = transfer_header(t, "Content-Type: application/json");

	if (!status)
		status =
			transfer_header(t, "Accept: application/json, text/event-stream");
	if (!status)
		status = transfer_header(t, "Expect:");
	if (!status && p && t->client->era == ERA_MODERN)
		status = modern_headers(t, p);
	return status;
}

/* ---- the result --------------------------------------------------------------- */

static int http_look(struct transfer *t, int64_t *ret_until, struct error *err)
{
	struct client *c = t->client;
	int status;

	pthread_mutex_lock(&c->lock);
	status = client_check_pending(c, t->pending, ret_until, err);
	pthread_mutex_unlock(&c->lock);
	return status;
}

static bool is_done(struct client *c, struct pending *p)
{
	bool done;

	pthread_mutex_lock(&c->lock);
	done = p->done;
	pthread_mutex_unlock(&c->lock);
	return done;
}

/* A JSON-RPC error in the body of a refusal answers the request, even without an id. */
static bool take_refusal(struct transfer *t, struct pending *p)
{
	AUTO(json) json_object *doc = js_parse_object(t->body.text, t->body.len, NULL);
	bool taken =
		doc && p && json_object_is_type(js_get(doc, "error"), json_type_object);

	if (!taken)
		return false;
	pthread_mutex_lock(&t->client->lock);
	if (!p->done) {
		p->answer = json_object_get(doc);
		p->done = true;
	}
	pthread_mutex_unlock(&t->client->lock);
	return true;
}

/* Servers return 404; some return 400 with an explanation. */
static bool session_is_over(struct transfer *t)
{
	AUTO(json) json_object *doc = NULL;
	struct http *h = t->http;
	bool session;

	pthread_mutex_lock(&h->lock);
	session = h->session != NULL;
	pthread_mutex_unlock(&h->lock);
	if (!session || t->status == 404)
		return session;
	if (t->status == 400)
		doc = js_parse_object(t->body.text, t->body.len, NULL);
	return strcasestr(js_str(js_get(doc, "error"), "message", ""), "session");
}

static int end_of_session(struct client *c, struct error *err)
{
	pthread_mutex_lock(&c->lock);
	c->session_over = true;
	pthread_mutex_unlock(&c->lock);
	client_down(c, "the server ended the session");
	return fail(err, MT_EIO, "the server ended the session");
}

static int tell_refusal(struct transfer *t, struct error *err)
{
	size_t len = t->body.len < 200 ? t->body.len : 200;

	if (t->status == 401 || t->status == 403)
		return fail(err, MT_EDENIED, "the server denied access (HTTP %ld)",
			    t->status);
	return fail(err, MT_EIO, "the server returned HTTP %ld: %.*s", t->status,
		    (int)len, t->body.text);
}

static void keep_session(struct transfer *t)
{
	struct http *h = t->http;

	if (!t->session || t->client->era == ERA_MODERN)
		return;
	pthread_mutex_lock(&h->lock);
	free(h->session);
	h->session = STEAL(t->session);
	pthread_mutex_unlock(&h->lock);
}

static int mcp_http_take_end(struct transfer *t, struct pending *p, struct error *err)
{
	pthread_mutex_lock(&t->client->lock);
	t->client->http_status = t->status;
	pthread_mutex_unlock(&t->client->lock);
	if (t->status >= 300 || t->status < 200) {
		bool keeps = t->status == 401 || t->status == 403 || t->status == 404;

		if (session_is_over(t))
			return end_of_session(t->client, err);
		if ((!keeps || !t->http->session) && take_refusal(t, p) &&
		    t->status != 401)
			return MT_OK;
		return tell_refusal(t, err);
	}
	keep_session(t);
	if (!t->is_sse && t->body.len)
		mcp_client_deliver(t->client, t->body.text, t->body.len);
	return MT_OK;
}

/* ---- resumption of an interrupted stream ---------------------------------------- */

static int pause_for(struct transfer *t, int64_t ms, struct error *err)
{
	int64_t end = clock_ms() + ms;

	while (clock_ms() < end) {
		int64_t until = end;
		int status = http_look(t, &until, err);

		if (status != 1)
			return status;
		until = until < end ? until : end;
		curl_multi_poll(t->multi, NULL, 0, (int)(until - clock_ms() + 1), NULL);
	}
	return 1;
}

static void mcp_http_set_multi(struct client *c, struct pending *p, CURLM *multi)
{
	pthread_mutex_lock(&c->lock);
	p->multi = multi;
	pthread_mutex_unlock(&c->lock);
}

/* Send GET with the id of the last event. `from`: the interrupted stream. */
static int mcp_http_resume(struct http *h, struct pending *p, struct strbuf *id,
			   int64_t *retry_ms, struct error *err)
{
	struct client *c = h->client;
	struct transfer t;
	int status = transfer_open(&t, h, c->config.url, err);

	t.pending = p;
	mcp_http_set_multi(c, p, t.multi);
	if (!status)
		status = pause_for(&t, *retry_ms, err);
	if (status == 1) {
		status = MT_OK;
		if (transfer_header(&t, "Accept: text/event-stream") ||
		    (id->len && transfer_header(&t, "Last-Event-ID: %s", id->text)))
			status = out_of_memory(err);
		if (!status)
			status = transfer_run(&t, http_look, err);
		if (!status && (t.status < 200 || t.status >= 300))
			status = fail(err, MT_EIO,
				      "the server did not resume its response (HTTP %ld)",
				      t.status);
		if (!status && t.sse.id.len) {
			strbuf_reset(id);
			strbuf_addn(id, t.sse.id.text, t.sse.id.len);
		}
		if (t.sse.retry_ms >= 0)
			*retry_ms = t.sse.retry_ms;
	}
	mcp_http_set_multi(c, p, NULL);
	transfer_close(&t);
	return status;
}

static int resume_stream(struct transfer *broken, struct pending *p, struct error *err)
{
	struct http *h = broken->http;
	struct client *c = h->client;
	AUTO(strbuf) struct strbuf id = STRBUF(2048);
	int64_t retry_ms = broken->sse.retry_ms >= 0 ? broken->sse.retry_ms : RETRY_MS;
	int status = MT_OK;

	if (c->era == ERA_MODERN || !broken->sse.id.len)
		return fail(err, MT_EIO,
			    "the server closed the connection before responding");
	strbuf_addn(&id, broken->sse.id.text, broken->sse.id.len);
	for (int i = 0; i < RESUMES_MAX && !status && !is_done(c, p); i++)
		status = mcp_http_resume(h, p, &id, &retry_ms, err);
	if (!status && !is_done(c, p))
		status = fail(err, MT_EIO, "the server repeatedly closed the connection");
	return status;
}

/* ---- POST ------------------------------------------------------------------------- */

static int post_once(struct http *h, const char *url, const char *text, size_t len,
		     struct pending *p, long *ret_status, char **ret_challenge,
		     struct error *err)
{
	struct client *c = h->client;
	struct transfer t;
	int status = transfer_open(&t, h, url, err);

	t.pending = p;
	if (!status && post_headers(&t, p))
		status = fail(err, MT_EINVAL, "a header contains invalid characters");
	if (!status) {
		curl_easy_setopt(t.easy, CURLOPT_POSTFIELDS, text);
		curl_easy_setopt(t.easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
		if (p)
			mcp_http_set_multi(c, p, t.multi);
		else
			curl_easy_setopt(t.easy, CURLOPT_TIMEOUT_MS, (long)POST_MS);
		status = transfer_run(&t, p ? http_look : NULL, err);
		if (p)
			mcp_http_set_multi(c, p, NULL);
	}
	if (!status && !(p && is_done(c, p)))
		status = mcp_http_take_end(&t, p, err);
	else if (!status)
		keep_session(&t);
	if (!status && p && !is_done(c, p))
		status =
			t.is_sse ? resume_stream(&t, p, err)
			: c->transport == &sse_transport
				? MT_OK
				: fail(err, MT_EIO,
				       "the server did not respond to the request (HTTP %ld)",
				       t.status);
	*ret_status = t.status;
	*ret_challenge = STEAL(t.challenge);
	transfer_close(&t);
	return status;
}

/* Could a login, or one with more scopes, help? */
static bool wants_token(long code, const char *challenge)
{
	return code == 401 ||
	       (code == 403 && challenge && strstr(challenge, "insufficient_scope"));
}

static void set_token(struct http *h, char *token)
{
	pthread_mutex_lock(&h->lock);
	if (h->token)
		explicit_bzero(h->token, strlen(h->token));
	free(h->token);
	h->token = token;
	h->tokens++;
	pthread_mutex_unlock(&h->lock);
}

static unsigned tokens(struct http *h)
{
	unsigned n;

	pthread_mutex_lock(&h->lock);
	n = h->tokens;
	pthread_mutex_unlock(&h->lock);
	return n;
}

/* `used`: number of the refused token. Another thread may have obtained a new one
 * meanwhile. @return true if there is a token to try. */
static bool mcp_http_authorize(struct http *h, const char *challenge, unsigned used,
			       struct error *err)
{
	struct client *c = h->client;
	struct error why = ERROR_NONE;
	char *token = NULL;
	bool there;

	if (!c->config.authorize)
		return false;
	pthread_mutex_lock(&h->login_lock);
	there = tokens(h) != used;
	if (!there)
		token = c->config.authorize(c->config.arg, challenge ? challenge : "",
					    &why);
	if (token)
		set_token(h, token);
	pthread_mutex_unlock(&h->login_lock);
	if (!token && why.code) {
		*err = ERROR_NONE;
		fail(err, MT_EDENIED, "%s", why.text);
	}
	return there || token;
}

int http_post(struct http *h, const char *url, const char *text, size_t len,
	      struct pending *p, struct error *err)
{
	for (int tries = 0;; tries++) {
		AUTO(free) char *challenge = NULL;
		struct error why = ERROR_NONE;
		unsigned used = tokens(h);
		long code = 0;
		int status = post_once(h, url, text, len, p, &code, &challenge, &why);

		if (status == MT_EDENIED && tries < LOGINS_MAX &&
		    wants_token(code, challenge) &&
		    mcp_http_authorize(h, challenge, used, &why))
			continue;
		return status ? fail(err, status, "%s", why.text) : MT_OK;
	}
}

/* ---- the transport ----------------------------------------------------------------- */

struct http *http_new(struct client *c)
{
	struct http *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	h->client = c;
	pthread_mutex_init(&h->lock, NULL);
	pthread_mutex_init(&h->login_lock, NULL);
	if (c->config.authorize)
		h->token = c->config.authorize(c->config.arg, NULL, NULL);
	return h;
}

void http_free(struct http *h)
{
	for (int i = 0; i < h->lane_count; i++)
		curl_multi_cleanup(h->lanes[i]);
	if (h->token)
		explicit_bzero(h->token, strlen(h->token));
	free(h->token);
	free(h->session);
	free(h->endpoint);
	pthread_mutex_destroy(&h->lock);
	pthread_mutex_destroy(&h->login_lock);
	free(h);
}

static int mcp_http_start(struct client *c, const struct waiter *w, struct error *err)
{
	struct http *h = http_new(c);

	(void)w;
	c->link = h;
	return h ? MT_OK : out_of_memory(err);
}

static int http_send(struct client *c, const char *text, size_t len, struct pending *p,
		     struct error *err)
{
	struct http *h = c->link;

	return h ? http_post(h, c->config.url, text, len, p, err)
		 : fail(err, MT_EIO, "not connected");
}

static void http_ready(struct client *c)
{
	if ((c->era != ERA_MODERN || version_subscribes(c)) &&
	    !listener_start(c->link, false))
		listener_wait(c->link);
}

/* Tell the server that it may drop the session. */
static void end_session(struct http *h)
{
	struct transfer t;

	if (h->session && !transfer_open(&t, h, h->client->config.url, NULL)) {
		curl_easy_setopt(t.easy, CURLOPT_CUSTOMREQUEST, "DELETE");
		curl_easy_setopt(t.easy, CURLOPT_TIMEOUT_MS, 200L);
		transfer_run(&t, NULL, NULL);
		transfer_close(&t);
	}
}

static void http_stop(struct client *c)
{
	struct http *h = c->link;

	if (!h)
		return;
	listener_stop(h);
	if (!c->down)
		end_session(h);
	c->link = NULL;
	http_free(h);
}

void http_wake(struct client *c)
{
	pthread_mutex_lock(&c->lock);
	for (struct pending *p = c->pendings; p; p = p->next)
		if (p->multi)
			curl_multi_wakeup(p->multi);
	pthread_mutex_unlock(&c->lock);
}

const struct transport http_transport = {
	.start = mcp_http_start,
	.send = http_send,
	.ready = http_ready,
	.stop = http_stop,
};
