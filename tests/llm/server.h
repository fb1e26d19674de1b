/* SPDX-License-Identifier: MIT
 *
 * server.h - a small HTTP server on the test's own loop: it gives the answers
 * its script says, byte for byte, in pieces of any size. */
#ifndef TESTS_LLM_SERVER_H
#define TESTS_LLM_SERVER_H

#include "strbuf.h"
#include <stdbool.h>
#include <string.h>
#include <uv.h>

enum after { KEEP = 0, CLOSE, HANG };

struct answer {
	const char *bytes;    /* head and body as they go out */
	size_t piece;         /* bytes in one write; 0: all */
	enum after after;
};

struct server {
	uv_loop_t *loop;
	uv_tcp_t tcp;
	const struct answer *answers;
	size_t count, next;   /* answers; the last one is repeated */
	size_t connections;
	struct strbuf request; /* the last one, whole */
	int port;
};

struct guest {
	uv_tcp_t tcp;
	struct server *server;
	struct strbuf in;
	const struct answer *answer;
	size_t sent, size;
	uv_write_t write;
	char room[65536];
};

static void guest_send(struct guest *g);

static void guest_closed(uv_handle_t *h)
{
	struct guest *g = h->data;

	strbuf_clear(&g->in);
	free(g);
}

static void guest_close(struct guest *g)
{
	if (!uv_is_closing((uv_handle_t *)&g->tcp))
		uv_close((uv_handle_t *)&g->tcp, guest_closed);
}

static void guest_sent(uv_write_t *w, int status)
{
	struct guest *g = w->data;

	if (status)
		guest_close(g);
	else
		guest_send(g);
}

static void guest_send(struct guest *g)
{
	const struct answer *a = g->answer;
	size_t n = g->size - g->sent;
	uv_buf_t buf;

	if (!n) {
		if (a->after == CLOSE)
			guest_close(g);
		return;
	}
	if (a->piece && n > a->piece)
		n = a->piece;
	buf = uv_buf_init((char *)(a->bytes + g->sent), (unsigned)n);
	g->sent += n;
	g->write.data = g;
	uv_write(&g->write, (uv_stream_t *)&g->tcp, &buf, 1, guest_sent);
}

/* Length of the first request in the buffer; 0: not all of it is there. */
static size_t request_size(const struct strbuf *in)
{
	const char *end = strstr(in->text, "\r\n\r\n");
	const char *length = strcasestr(in->text, "content-length:");
	size_t size;

	if (!end)
		return 0;
	size = (size_t)(end - in->text) + 4;
	if (length && length < end)
		size += (size_t)strtoul(length + 15, NULL, 10);
	return in->len >= size ? size : 0;
}

static void guest_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct guest *g = stream->data;
	struct server *s = g->server;
	size_t size;

	if (n < 0) {
		guest_close(g);
		return;
	}
	strbuf_addn(&g->in, buf->base, (size_t)n);
	size = request_size(&g->in);
	if (!size)
		return;
	strbuf_reset(&s->request);
	strbuf_addn(&s->request, g->in.text, size);
	strbuf_consume(&g->in, size);
	g->answer = &s->answers[s->next < s->count ? s->next : s->count - 1];
	s->next++;
	g->sent = 0;
	g->size = strlen(g->answer->bytes);
	if (g->answer->after == HANG && !g->size)
		return;
	guest_send(g);
}

static void guest_room(uv_handle_t *h, size_t want, uv_buf_t *buf)
{
	struct guest *g = h->data;

	(void)want;
	*buf = uv_buf_init(g->room, sizeof g->room);
}

static inline void server_guest(uv_stream_t *stream, int status)
{
	struct server *s = stream->data;
	struct guest *g = calloc(1, sizeof *g);

	if (status || !g) {
		free(g);
		return;
	}
	s->connections++;
	g->server = s;
	g->in = STRBUF(64 << 20);
	g->tcp.data = g;
	uv_tcp_init(s->loop, &g->tcp);
	uv_accept(stream, (uv_stream_t *)&g->tcp);
	uv_read_start((uv_stream_t *)&g->tcp, guest_room, guest_read);
	uv_unref((uv_handle_t *)&g->tcp);
}

static inline void server_start(struct server *s, uv_loop_t *loop)
{
	struct sockaddr_in at;
	int len = sizeof at;

	*s = (struct server){ .loop = loop, .request = STRBUF(64 << 20) };
	uv_ip4_addr("127.0.0.1", 0, &at);
	uv_tcp_init(loop, &s->tcp);
	s->tcp.data = s;
	uv_tcp_bind(&s->tcp, (const struct sockaddr *)&at, 0);
	uv_listen((uv_stream_t *)&s->tcp, 16, server_guest);
	uv_tcp_getsockname(&s->tcp, (struct sockaddr *)&at, &len);
	s->port = ntohs(at.sin_port);
	uv_unref((uv_handle_t *)&s->tcp);
}

static inline void server_say(struct server *s, const struct answer *answers,
			      size_t count)
{
	s->answers = answers;
	s->count = count;
	s->next = 0;
	s->connections = 0;
}

/* Close every handle that is left, so that the loop can be closed. */
static inline void close_handle(uv_handle_t *h, void *arg)
{
	struct server *s = arg;

	if (uv_is_closing(h))
		return;
	uv_close(h,
		 h->type == UV_TCP && h != (uv_handle_t *)&s->tcp ? guest_closed : NULL);
}

static inline void server_stop(struct server *s)
{
	uv_walk(s->loop, close_handle, s);
	uv_run(s->loop, UV_RUN_DEFAULT);
	strbuf_clear(&s->request);
}

#endif
