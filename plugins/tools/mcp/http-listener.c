/* SPDX-License-Identifier: MIT
 *
 * http-listener.c - unsolicited messages of a server: the GET stream of streamable HTTP,
 * the subscription of the newer protocol, and the transport of 2024, where all
 * messages arrive on one stream. */
#include "http.h"
#include "clock.h"
#include <string.h>

enum { FAILURES_MAX = 5, HEARD_MS = 1000 };

static int listener_watch(struct transfer *t, int64_t *ret_until, struct error *err)
{
	struct http *h = t->http;
	int64_t due = serve_check_changes(t->client, false);
	bool stop;

	if (due >= 0)
		*ret_until = clock_ms() + due;
	pthread_mutex_lock(&h->lock);
	stop = h->stopping;
	pthread_mutex_unlock(&h->lock);
	return stop ? fail(err, MT_ECANCELLED, "stopped") : 1;
}

static int listener_prepare(struct transfer *t, struct strbuf *body,
			    const struct strbuf *id)
{
	int status;

	if (t->client->era != ERA_MODERN) {
		status = transfer_header(t, "Accept: text/event-stream");
		if (!status && id->len)
			status = transfer_header(t, "Last-Event-ID: %s", id->text);
		return status;
	}
	status = version_subscription(t->client, body);
	if (!status)
		status = transfer_header(t, "Content-Type: application/json");
	if (!status)
		status =
			transfer_header(t, "Accept: application/json, text/event-stream");
	if (!status)
		status = transfer_header(t, "Mcp-Method: subscriptions/listen");
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, body->text);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	return status;
}

static void listener_set_multi(struct http *h, CURLM *multi)
{
	pthread_mutex_lock(&h->lock);
	h->listen_multi = multi;
	pthread_mutex_unlock(&h->lock);
}

/* Run one stream. @return false if reconnecting is useless. */
static bool listen_once(struct http *h, struct strbuf *id, int64_t *retry_ms, bool stream)
{
	AUTO(strbuf) struct strbuf body = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	struct transfer t;
	int status = transfer_open(&t, h, h->client->config.url, &err);

	t.is_stream = stream;
	t.listens = true;
	if (!status)
		status = listener_prepare(&t, &body, id);
	if (!status) {
		listener_set_multi(h, t.multi);
		status = transfer_run(&t, listener_watch, &err);
		listener_set_multi(h, NULL);
	}
	listener_heard(h);
	if (t.sse.id.len) {
		strbuf_reset(id);
		strbuf_addn(id, t.sse.id.text, t.sse.id.len);
	}
	if (t.sse.retry_ms >= 0)
		*retry_ms = t.sse.retry_ms;
	if (stream && status != MT_ECANCELLED) {
		if (t.status >= 300)
			client_down(h->client, "the server returned HTTP %ld", t.status);
		else
			client_down(h->client, "%s",
				    err.code ? err.text : "the server closed its stream");
	}
	status = status || !t.is_sse ? MT_EIO : MT_OK;
	transfer_close(&t);
	return !status && !stream;
}

/* Wait for `ms`. @return false if the listener should stop. */
static bool listener_rest(struct http *h, int64_t ms)
{
	int64_t end = clock_ms() + ms;
	CURLM *multi = curl_multi_init();
	bool stop = false;

	if (!multi)
		return false;
	listener_set_multi(h, multi);
	while (!stop && clock_ms() < end) {
		pthread_mutex_lock(&h->lock);
		stop = h->stopping;
		pthread_mutex_unlock(&h->lock);
		if (!stop)
			curl_multi_poll(multi, NULL, 0, (int)(end - clock_ms() + 1),
					NULL);
	}
	listener_set_multi(h, NULL);
	curl_multi_cleanup(multi);
	return !stop;
}

static void *listen_thread(void *arg)
{
	struct http *h = arg;
	AUTO(strbuf) struct strbuf id = STRBUF(2048);
	int64_t retry_ms = RETRY_MS, begun = clock_ms();
	int quick = 0;

	while (listen_once(h, &id, &retry_ms, false)) {
		quick = clock_ms() - begun < RETRY_MS ? quick + 1 : 0;
		if (quick > FAILURES_MAX || !listener_rest(h, retry_ms))
			break;
		begun = clock_ms();
	}
	return NULL;
}

static void *stream_thread(void *arg)
{
	struct http *h = arg;
	AUTO(strbuf) struct strbuf id = STRBUF(2048);
	int64_t retry_ms = RETRY_MS;

	listen_once(h, &id, &retry_ms, true);
	return NULL;
}

int listener_start(struct http *h, bool stream)
{
	h->listening = pthread_create(&h->listener, NULL,
				      stream ? stream_thread : listen_thread, h) == 0;
	return h->listening ? MT_OK : MT_ENOMEM;
}

void listener_heard(struct http *h)
{
	struct client *c = h->client;

	pthread_mutex_lock(&c->lock);
	h->is_listening = true;
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

void listener_wait(struct http *h)
{
	struct client *c = h->client;
	int64_t until = clock_ms() + HEARD_MS;
	struct timespec t = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };

	pthread_mutex_lock(&c->lock);
	while (!h->is_listening && !c->closing && clock_ms() < until)
		pthread_cond_timedwait(&c->wake, &c->lock, &t);
	pthread_mutex_unlock(&c->lock);
}

void listener_stop(struct http *h)
{
	if (!h->listening)
		return;
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	if (h->listen_multi)
		curl_multi_wakeup(h->listen_multi);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->listener, NULL);
	h->listening = false;
}

/* ---- the transport of 2024 ------------------------------------------------------- */

/* The absolute URL for requests. @return NULL: not announced yet, or on another host. */
static char *endpoint(struct http *h, struct error *err)
{
	const char *base = h->client->config.url;
	const char *host = strstr(base, "://");
	size_t origin = host ? (size_t)(host + 3 - base) + strcspn(host + 3, "/?#") : 0;
	char *url = NULL;

	pthread_mutex_lock(&h->lock);
	if (h->endpoint && h->endpoint[0] == '/') {
		if (asprintf(&url, "%.*s%s", (int)origin, base, h->endpoint) < 0)
			url = NULL;
	} else if (h->endpoint && strncmp(h->endpoint, base, origin) == 0 &&
		   strchr("/?", h->endpoint[origin])) {
		url = strdup(h->endpoint);
	} else if (h->endpoint) {
		fail(err, MT_EDENIED,
		     "the server redirects messages to another host: %.200s",
		     h->endpoint);
	}
	pthread_mutex_unlock(&h->lock);
	return url;
}

static int await_endpoint(struct client *c, struct http *h, const struct waiter *w,
			  struct error *err)
{
	int64_t end = clock_ms() + c->config.connect_ms;

	for (;;) {
		AUTO(free) char *url = endpoint(h, err);
		int64_t next = clock_ms() + 1000;
		struct timespec t = { .tv_sec = next / 1000,
				      .tv_nsec = next % 1000 * 1000000 };

		if (url || (err && err->code))
			return url ? MT_OK : err->code;
		if (client_is_down(c))
			return fail(err, MT_EIO, "%s", c->why.text);
		if (w && w->cancelled && w->cancelled(w->arg))
			return fail(err, MT_ECANCELLED, "the call was cancelled");
		if (clock_ms() >= end)
			return fail(err, MT_ETIMEOUT,
				    "the server did not send an endpoint");
		pthread_mutex_lock(&c->lock);
		pthread_cond_timedwait(&c->wake, &c->lock, &t);
		pthread_mutex_unlock(&c->lock);
	}
}

static int sse_start(struct client *c, const struct waiter *w, struct error *err)
{
	struct http *h = http_new(c);

	c->link = h;
	if (!h || listener_start(h, true))
		return out_of_memory(err);
	return await_endpoint(c, h, w, err);
}

static int sse_send(struct client *c, const char *text, size_t len, struct pending *p,
		    struct error *err)
{
	struct http *h = c->link;
	AUTO(free) char *url = h ? endpoint(h, err) : NULL;

	if (!url)
		return fail(err, MT_EIO, "not connected");
	return http_post(h, url, text, len, p, err);
}

static void sse_stop(struct client *c)
{
	struct http *h = c->link;

	if (!h)
		return;
	listener_stop(h);
	c->link = NULL;
	http_free(h);
}

const struct transport sse_transport = {
	.start = sse_start,
	.send = sse_send,
	.stop = sse_stop,
};
