/* SPDX-License-Identifier: MIT
 *
 * client.h - a client of one MCP server, independent of transport and era.
 *
 * Any thread may send a request and waits for its own response. Messages of the server
 * are passed to mcp_client_deliver, by the thread of a transport or by the requesting
 * one. A server that is down is restarted by the next request, after an increasing
 * delay. */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "rpc.h"
#include <pthread.h>

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25"

enum {
	MCP_MESSAGE_MAX = 16 << 20, /* bytes of one message */
	MCP_TAIL_MAX = 1024,        /* bytes kept of the standard error output */
};

struct client;

/** Options of a client; the texts are borrowed as long as it exists. */
struct client_config {
	const char *name;
	char *const *argv;        /* of a server that is a program; or NULL */
	char *const *env;         /* its whole environment */
	const char *directory;    /* working directory of the server; also its root */
	const char *url;          /* of a server over HTTP; or NULL */
	char *const *headers;     /* "Name: value", NULL-terminated */
	const char *ca_path;
	bool old_sse, new_http;   /* only that transport; neither: try both */
	const char *protocol;     /* the only version; NULL: any common version */
	int64_t connect_ms, timeout_ms;
	bool accepts;             /* accept elicitations with defaults (for tests) */
	void *arg;
	/** Called to log a message. [any thread] */
	void (*log)(void *arg, int level, const char *text);
	/** Called when tools, prompts or resources have changed. [any thread] */
	void (*changed)(void *arg);
	/** A token for the Authorization header, owned by the caller; NULL: none.
	 *  `challenge`: WWW-Authenticate of a refusal, "" if it had none; NULL: no
	 *  refusal yet, return the stored token. [any thread] */
	char *(*authorize)(void *arg, const char *challenge, struct error *err);
};

/** Callbacks of a caller that waits for a response. Members may be NULL. */
struct waiter {
	void *arg;
	json_object *input;       /* schema of the called tool; borrowed */
	bool (*cancelled)(void *arg);
	void (*progress)(void *arg, double done, double total, const char *message);
	/** The server asks the user: the result of the elicitation, owned. */
	json_object *(*elicit)(void *arg, json_object *params);
};

enum client_state { CLIENT_IDLE, CLIENT_CONNECTING, CLIENT_READY, CLIENT_DOWN };
enum client_era { ERA_UNKNOWN, ERA_LEGACY, ERA_MODERN };

/** A request of the server that a waiting call must answer. */
struct question {
	struct question *next;
	json_object *doc;         /* the whole request */
};

/** One pending request. */
struct pending {
	struct pending *next;
	int64_t id;
	const char *method;
	const struct waiter *waiter;
	json_object *answer;      /* the whole message */
	bool done;
	int64_t alive_at;         /* time of the last sign of progress */
	struct question *questions;
	void *multi;              /* CURLM on which its thread waits; or NULL */
	json_object *params;      /* borrowed; for headers */
};

struct transport {
	/** Start the transport. */
	int (*start)(struct client *c, const struct waiter *w, struct error *err);
	/** Send a message; with `p` it is a request, and the transport may wait for its
	 *  response. */
	int (*send)(struct client *c, const char *text, size_t len, struct pending *p,
		    struct error *err);
	/** The handshake is over. May be NULL. */
	void (*ready)(struct client *c);
	/** Stop the transport and all its threads. */
	void (*stop)(struct client *c);
};

struct client {
	struct client_config config;
	const struct transport *transport;
	pthread_mutex_t link_lock; /* protects `link` while it is created or freed */
	void *link;               /* of the transport */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	enum client_state state;
	enum client_era era;
	char protocol[32];        /* negotiated; "" before the handshake */
	bool down;                /* the transport has ended, for this reason: */
	struct error why;
	long http_status;         /* of the last HTTP response */
	bool session_over;        /* the server no longer knows our session */
	char tail[MCP_TAIL_MAX];  /* of the server's standard error output */
	struct pending *pendings;
	int64_t ids;
	int64_t retry_at;
	unsigned failures, quick_deaths;
	int64_t ready_at;
	bool closing;
	json_object *capabilities, *info;
	int64_t changed_at;       /* time of the last call of `changed` */
	bool changed_due;
};

/** @return NULL: out of memory. The transport is not started. */
struct client *client_new(const struct client_config *config);
struct client *client_free(struct client *c);
AUTO_DEFINE(client, struct client *, client_free)

/** Make sure that the server runs and the handshake is done. */
int client_connect(struct client *c, const struct waiter *w, struct error *err);
/** Send a request and wait; requests of the server are answered meanwhile. Changes
 *  `params`. @return MT_OK with the result, owned. A JSON-RPC error is MT_EIO with the
 *  error object in `ret_error` (may be NULL), owned. */
int mcp_client_request(struct client *c, const char *method, json_object *params,
		       const struct waiter *w, json_object **ret, json_object **ret_error,
		       struct error *err);
/** True if the connection went down while the last request waited. */
bool client_is_down(struct client *c);
/** True if it went down because the server had lost the session: the request was not
 *  executed. */
bool client_was_forgotten(struct client *c);
/** Make waiting calls check whether they are cancelled. */
void client_wake(struct client *c);
/** Does the server have the capability? Until it is known: only `tools`. */
bool client_has(struct client *c, const char *capability);
void client_log(struct client *c, int level, const char *fmt, ...) MT_PRINTF(3, 4);

/* ---- for transports ---------------------------------------------------- */

/** Process a received message. */
void mcp_client_deliver(struct client *c, const char *text, size_t len);
/** Report that the transport has ended. The first reason is kept. */
void client_down(struct client *c, const char *fmt, ...) MT_PRINTF(2, 3);
/** Check a request, with the lock held (released in between).
 *  @return 1: continue to wait; MT_OK: it has its response; else why it failed.
 *  `*ret_until`: time of the next check at the latest. */
int client_check_pending(struct client *c, struct pending *p, int64_t *ret_until,
			 struct error *err);

/* ---- internal ---------------------------------------------------------- */

/** Send one request, without rounds of input; the caller holds no lock. */
int client_exchange(struct client *c, const char *method, json_object *params,
		    const struct waiter *w, int64_t timeout_ms, json_object **ret_answer,
		    struct error *err);
int mcp_client_notify(struct client *c, const char *method, json_object *params,
		      struct error *err);
/** Determine the era and perform the handshake (protocol-version.c). */
int version_open(struct client *c, const struct waiter *w, struct error *err);
/** Add the `_meta` that the protocol version requires in every request. */
int version_meta(struct client *c, json_object *params, int64_t token);
/** Does the server report changes only to subscribers? Then the subscription request. */
bool version_subscribes(struct client *c);
int version_subscription(struct client *c, struct strbuf *b);
/** Answer a request of the server: the result, owned; NULL with an error. */
json_object *mcp_client_serve(struct client *c, const struct waiter *w,
			      const char *method, json_object *params, int *ret_code,
			      const char **ret_text);
/** Report a changed list, if it is time or `now`. @return ms until it is; -1: no change
 *  is pending. */
int64_t serve_check_changes(struct client *c, bool now);

/** Wake the threads that wait in a transfer. */
void http_wake(struct client *c);

extern const struct transport stdio_transport, http_transport, sse_transport;

#endif
