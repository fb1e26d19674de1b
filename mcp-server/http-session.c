/* SPDX-License-Identifier: MIT
 *
 * http-session.c - sessions of clients that start with a handshake. */
#include "http.h"
#include "hex.h"

#include <string.h>
#include <sys/random.h>

struct session *http_session_find(struct mcp_http *w, const char *id)
{
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		if (*w->sessions[i].id && strcmp(w->sessions[i].id, id) == 0) {
			w->sessions[i].used = ++w->session_uses;
			return &w->sessions[i];
		}
	return NULL;
}

/* The least recently used session; sessions with a stream or a request in progress are in
 * use. */
static struct session *http_session_oldest(struct mcp_http *w)
{
	struct session *s = &w->sessions[0];

	for (struct connection *c = w->connections; c; c = c->next)
		if (c->listens || c->busy)
			http_session_find(w, c->session);
	for (size_t i = 1; i < SESSIONS_MAX; i++)
		if (w->sessions[i].used < s->used)
			s = &w->sessions[i];
	return s;
}

void http_session_end(struct mcp_http *w, struct session *s)
{
	if (!*s->id)
		return;
	mcp_subscriptions_end(w->serve, s->id);
	for (struct connection *c = w->connections; c; c = c->next)
		if (c->listens && strcmp(c->session, s->id) == 0)
			http_drop(c);
	json_object_put(s->known.capabilities);
	*s = (struct session){ 0 };
}

bool http_session_new(struct connection *c)
{
	struct session *s = http_session_oldest(c->web);
	unsigned char bytes[SESSION_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	http_session_end(c->web, s);
	hex_write(bytes, sizeof bytes, s->id);
	s->known = (struct mcp_session){ .log_level = LOG_NOTHING };
	s->used = ++c->web->session_uses;
	c->peer.known = &s->known;
	snprintf(c->session, sizeof c->session, "%s", s->id);
	c->is_new = true;
	return true;
}
