/* SPDX-License-Identifier: MIT
 *
 * proxy-connection.h - the state of a connection, for the files that serve it. */
#ifndef LIB_SANDBOX_PROXY_CONNECTION_H
#define LIB_SANDBOX_PROXY_CONNECTION_H

#include "sandbox/network-proxy-internal.h"

enum {
	PROXY_BUFFER_MAX = PROXY_HEAD_MAX, /* bytes that wait in one direction */
};

enum proxy_state {
	PROXY_HEAD,    /* reads the head of the request */
	PROXY_LOOKUP,
	PROXY_CONNECT,
	PROXY_TUNNEL,  /* reads the response of an upstream proxy to CONNECT */
	PROXY_HELLO,   /* reads the first bytes that the client sends through the tunnel */
	PROXY_RELAY,
	PROXY_LINGER,  /* the client has its answer: discards what it still sends */
};

/* Bytes of one direction. */
struct proxy_way {
	struct strbuf in, out; /* as received; to be sent */
	bool eof;              /* the sender has ended */
	bool shut;             /* the receiver has the end, or does not read anymore */
};

struct proxy_connection {
	struct proxy *proxy;
	enum proxy_state state;
	int client, server;
	int64_t deadline;
	struct proxy_way up, down; /* to the server, to the client */
	struct proxy_request request;
	const struct proxy_upstream *via; /* NULL: connects to the host itself */
	bool any_protocol; /* a tunnel may carry more than TLS */
	bool answered;     /* the head of the response was forwarded */
	struct proxy_lookup lookup;
	struct proxy_addresses addresses;
	unsigned next; /* address to try */
	int error;     /* errno of the last one */
};

/* ---- proxy-answer.c ---- */

/** Enter a state, and leave it after `ms` at the latest. */
void proxy_enter(struct proxy_connection *c, enum proxy_state state, int ms);
/** End the connection once the client has its answer. */
void proxy_linger(struct proxy_connection *c);
/** Answer with a sentence instead of a response. */
void proxy_answer(struct proxy_connection *c, int status, const char *text);
/** Answer the request with a sentence, and report it. */
void proxy_refuse(struct proxy_connection *c, int status, const char *format, ...)
	MT_PRINTF(3, 4);
/** The same after CONNECT was answered. TLS clients show the alert; others only see the
 *  end of the connection. */
void proxy_refuse_tunnel(struct proxy_connection *c, bool is_tls, const char *format, ...)
	MT_PRINTF(3, 4);
/** "example.com", or "example.com port 22" */
const char *proxy_shown_host(const struct proxy_connection *c, char room[300]);
/** The pattern that allows a host: "example.com", "[::1]:22" */
const char *proxy_pattern(const char *host, uint16_t port, char room[300]);

/* ---- proxy-checks.c ---- */

/** Read the head of the request, if it is complete, and check it. */
void proxy_read_head(struct proxy_connection *c);
/** Check the first bytes that the client sends through a tunnel. */
void proxy_read_hello(struct proxy_connection *c);

/* ---- proxy-connect.c ---- */

/** Resolve the host of an allowed request, or of the upstream proxy. */
void proxy_look_up(struct proxy_connection *c);
/** The lookup is done: connect. */
void proxy_take_lookup(struct proxy_connection *c);
/** Connect to the next address. */
void proxy_connect_next(struct proxy_connection *c);
/** An attempt to connect has ended. */
void proxy_take_connect(struct proxy_connection *c);
/** Read the response of the upstream proxy to CONNECT, if it is complete. */
void proxy_read_tunnel(struct proxy_connection *c);

#endif
