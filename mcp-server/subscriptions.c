/* SPDX-License-Identifier: MIT
 *
 * subscriptions.c - notifies clients of changed resources. */
#include "resources.h"

#include <limits.h>
#include <string.h>

enum { WATCHES_MAX = 256, ID_MAX = 64 };

/* One resource that one session is subscribed to. The directory is watched: many programs
 * replace a file instead of writing to it. */
struct mcp_watch {
	struct mcp_watch *next;
	struct mcp_server *server;
	uv_fs_event_t event;
	char session[ID_MAX]; /* "": the client at standard output */
	char *uri, *dir;
	const char *file; /* in `dir` */
};

static void watch_free(struct mcp_watch *w)
{
	free(w->uri);
	free(w->dir);
	free(w);
}

static void watch_on_closed(uv_handle_t *h)
{
	watch_free(h->data);
}

static void on_change(uv_fs_event_t *event, const char *file, int events, int status)
{
	struct mcp_watch *w = event->data;
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	(void)events;
	if (status || (file && strcmp(file, w->file) != 0))
		return;
	strbuf_add(&b,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
		   "\"params\":{");
	js_key_str(&b, "uri", w->uri);
	strbuf_add(&b, "}}");
	mcp_notify(w->server, w->session, &b);
}

static const char *session_of(const struct mcp_client *p)
{
	return p->session ? p->session : "";
}

static struct mcp_watch **mcp_subscriptions_find(struct mcp_server *s,
						 const char *session, const char *uri)
{
	struct mcp_watch **at = &s->watches;

	while (*at && (strcmp((*at)->session, session) != 0 ||
		       (uri && strcmp((*at)->uri, uri) != 0)))
		at = &(*at)->next;
	return at;
}

static void close_watch(struct mcp_server *s, struct mcp_watch **at)
{
	struct mcp_watch *w = *at;

	*at = w->next;
	s->watch_count--;
	uv_close((uv_handle_t *)&w->event, watch_on_closed);
}

/* Take ownership of `path`. */
static int add_watch(struct mcp_server *s, const char *session, const char *uri,
		     char *path)
{
	struct mcp_watch *w = s->watch_count < WATCHES_MAX ? calloc(1, sizeof *w) : NULL;
	char *slash = strrchr(path, '/');

	if (!w) {
		free(path);
		return MT_ELIMIT;
	}
	*slash = '\0';
	*w = (struct mcp_watch){ .server = s, .uri = strdup(uri), .dir = path,
				 .file = slash + 1 };
	snprintf(w->session, sizeof w->session, "%s", session);
	if (!w->uri || uv_fs_event_init(s->loop, &w->event)) {
		watch_free(w);
		return MT_ENOMEM;
	}
	w->event.data = w;
	w->next = s->watches;
	s->watches = w;
	s->watch_count++;
	if (!uv_fs_event_start(&w->event, on_change, *w->dir ? w->dir : "/", 0))
		return MT_OK;
	close_watch(s, &s->watches);
	return MT_ELIMIT;
}

static void send_empty(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);

	mcp_begin_reply(&b, q->id, "result");
	mcp_send_result(q, &b, false);
}

void mcp_resources_subscribe(const struct mcp_request *q)
{
	struct mcp_server *s = q->server;
	const char *uri = js_str(q->params, "uri", ""), *session = session_of(q->peer);
	char *path;

	if (!q->peer->known) {
		mcp_send_error(q->peer, q->id, RPC_INVALID,
			       "no session; send initialize first", NULL);
	} else if (*mcp_subscriptions_find(s, session, uri)) {
		send_empty(q);
	} else if (!(path = mcp_resource_path(s, uri))) {
		mcp_resource_unknown(q, uri);
	} else if (add_watch(s, session, uri, path)) {
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, "too many subscriptions",
			       NULL);
	} else {
		send_empty(q);
	}
}

void mcp_resources_unsubscribe(const struct mcp_request *q)
{
	struct mcp_watch **at = mcp_subscriptions_find(q->server, session_of(q->peer),
						       js_str(q->params, "uri", ""));

	if (*at)
		close_watch(q->server, at);
	send_empty(q);
}

void mcp_subscriptions_end(struct mcp_server *s, const char *session)
{
	struct mcp_watch **at;

	while (*(at = mcp_subscriptions_find(s, session, NULL)))
		close_watch(s, at);
}

void mcp_subscriptions_close(struct mcp_server *s)
{
	while (s->watches)
		close_watch(s, &s->watches);
}
