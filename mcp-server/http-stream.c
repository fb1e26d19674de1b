/* SPDX-License-Identifier: MIT
 *
 * http-stream.c - sends messages as one JSON document or as a stream of events. */
#include "http.h"

static int status_of(const struct connection *c, int code)
{
	switch (code) {
	case RPC_METHOD:
		return c->modern ? 404 : 200;
	case RPC_PARSE:
	case RPC_INVALID:
	case RPC_HEADER:
	case RPC_CAPABILITY:
	case RPC_VERSION:
		return 400;
	default:
		return 200;
	}
}

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Cache-Control: no-store\r\nConnection: close\r\n\r\n";

void http_listen(struct connection *c)
{
	AUTO(strbuf) struct strbuf head = STRBUF(4096);

	c->streams = c->listens = true;
	c->keep = false;
	strbuf_add(&head, stream_head);
	http_put(c, &head, "", 0, false);
}

static void http_stream_put_event(struct connection *c, const struct strbuf *b, bool last)
{
	AUTO(strbuf) struct strbuf text = STRBUF(MCP_MESSAGE_MAX * 5);

	if (!c->streams)
		strbuf_add(&text, stream_head);
	c->streams = true;
	c->keep = false;
	strbuf_add(&text, "event: message\ndata: ");
	strbuf_addn(&text, b->text, b->len);
	http_put(c, &text, "\n\n", 2, last);
	if (last)
		http_done(c);
}

void http_abandon(struct mcp_client *p)
{
	struct connection *c = (struct connection *)p;
	AUTO(strbuf) struct strbuf none = STRBUF(1);

	if (c->closing || !c->busy)
		return;
	if (!c->streams) {
		http_answer(c, 202, "", "", "", 0);
	} else {
		http_put(c, &none, "", 0, true);
		http_done(c);
	}
}

void http_send_message(struct mcp_client *p, struct strbuf *b, bool last, int code)
{
	struct connection *c = (struct connection *)p;

	if (c->closing || !c->busy)
		return;
	if (b->error)
		http_drop(c);
	else if (c->streams || (!last && c->events))
		http_stream_put_event(c, b, last);
	else if (!last)
		return; /* it does not fit into one document */
	else
		http_answer(c, status_of(c, code), "", "application/json", b->text,
			    b->len);
}
