/* SPDX-License-Identifier: MIT
 *
 * http.h - shared by the files that serve MCP over HTTP. */
#ifndef MCP_SERVER_HTTP_H
#define MCP_SERVER_HTTP_H

#include "internal.h"

enum {
	HEAD_MAX = 16 << 10,
	CONNECTIONS_MAX = 64,
	SESSIONS_MAX = 256, /* the least recently used are discarded */
	SESSION_BYTES = 16,
	IDLE_MS = 60000, /* timeout without a complete request, or without reading */
	SWEEP_MS = 5000,
	KEEPALIVE_S = 60, /* silence before checking that a client is connected */
	IN_ALL_MAX = 128 << 20, /* bytes of requests that are being received, in all */
	OUT_ALL_MAX = 256 << 20,
	OUT_MAX = 96 << 20, /* bytes that a client has not read yet */
	TOKEN_MIN = 16,
	PARAMS_MAX = 32, /* parameters in headers */
};

struct session {
	char id[2 * SESSION_BYTES + 1];
	struct mcp_session known;
	uint64_t used; /* sequence number of the last use; 0: free */
};

struct mcp_http {
	struct mcp_server *serve;
	uv_loop_t *loop;
	uv_tcp_t tcp;
	uv_timer_t sweep;
	struct connection *connections;
	size_t count;
	struct session sessions[SESSIONS_MAX];
	uint64_t session_uses;
	const char *token;
	bool local, closed;
};

/* Headers that are used; the texts point into the request. */
struct request {
	char *method, *path, *host, *origin, *type, *accept, *authorization, *session,
		*version, *mcp_method, *mcp_name, *length, *connection, *transfer;
	/* Mcp-Param-NAME: parameters of a tool */
	struct {
		char *name, *value;
	} params[PARAMS_MAX];
	size_t param_count; /* more than PARAMS_MAX: those are not kept */
};

struct connection {
	struct mcp_client peer; /* first: a peer is a connection */
	struct connection *next;
	struct mcp_http *web;
	uv_tcp_t tcp;
	struct strbuf in;
	uint64_t since; /* loop time of the last byte, in ms */
	size_t unread;  /* bytes of responses, at the last sweep */
	bool busy;      /* a request is being answered */
	bool handling;  /* the input is being searched for requests */
	bool events;    /* the client accepts a stream */
	bool streams, modern, keep, closing;
	bool listens;   /* the client listens to notifications (GET) */
	char session[2 * SESSION_BYTES + 1];
	bool is_new; /* the session is new: the response names it */
	char room[65536];
};

/* ---- http-connection.c ---- */

/** For uv_listen of the server in `data`. */
void http_on_connection(uv_stream_t *server, int status);
/** For a timer of the server in `data`: drop idle connections. */
void http_on_sweep(uv_timer_t *timer);
/** Close a connection and cancel its calls. May be called again. */
void http_drop(struct connection *c);
/** Queue bytes. `close`: drop the connection once they are written. */
void http_put(struct connection *c, const struct strbuf *head, const char *body,
	      size_t len, bool close);
/** The request is answered: read the next one. */
void http_done(struct connection *c);
/** Answer the request. `more`: header lines, or "". */
void http_answer(struct connection *c, int status, const char *more, const char *type,
		 const char *body, size_t len);
/** Refuse a request that is not an MCP message, with an HTTP status only. */
void http_refuse(struct connection *c, int status, const char *more, const char *text);

/* ---- http-request.c ---- */

/** Check the head of a request before the body is stored. @return false if it was
 *  refused: the connection is then closed. */
bool http_admit(struct connection *c, const struct request *r);
/** Check and handle one request; the response may be sent later. */
void http_take_request(struct connection *c, const struct request *r, const char *body,
		       size_t len);
/** localhost, 127.0.0.1 or [::1], with any port. */
bool http_is_local(const char *host);

/* ---- http-session.c ---- */

/** Find a session and mark it as used. NULL: unknown, or discarded. */
struct session *http_session_find(struct mcp_http *w, const char *id);
/** Start a session, which the answer to the request names.
 *  @return false without random bytes. */
bool http_session_new(struct connection *c);
void http_session_end(struct mcp_http *w, struct session *s);

/* ---- http-stream.c ---- */

/** Start a stream of events, which stays open for notifications. */
void http_listen(struct connection *c);
/** mcp_client.abandon of a connection: end the response without a message. */
void http_abandon(struct mcp_client *p);
/** mcp_client.send of a connection: one JSON document, or events of a stream. */
void http_send_message(struct mcp_client *p, struct strbuf *b, bool last, int code);

#endif
