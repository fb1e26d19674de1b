/* SPDX-License-Identifier: MIT
 *
 * http.h - shared declarations of the HTTP transports. */
#ifndef MCP_HTTP_H
#define MCP_HTTP_H

#include "client.h"
#include "sse.h"
#include <curl/curl.h>

enum { LANES_MAX = 4, RETRY_MS = 1000, RETRY_MAX_MS = 60000, RESUMES_MAX = 100 };

/** The transport's side of a client. */
struct http {
	struct client *client;
	pthread_mutex_t login_lock; /* one login at a time */
	pthread_mutex_t lock;     /* protects the following members */
	char *session;            /* Mcp-Session-Id; NULL: none */
	char *token;              /* for Authorization; NULL: none */
	unsigned tokens;          /* number of tokens so far */
	char *endpoint;           /* old SSE: URL for requests; NULL: not announced yet */
	CURLM *lanes[LANES_MAX];  /* idle, with their open connections */
	int lane_count;
	bool stopping, listening;
	bool is_listening;               /* the listener's request was answered, or failed */
	pthread_t listener;
	CURLM *listen_multi;
};

/** One exchange over HTTP. */
struct transfer {
	struct http *http;
	struct client *client;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers;
	struct pending *pending;  /* its request; or NULL */
	struct strbuf body;
	struct sse sse;
	bool is_sse, is_stream;   /* is_stream: old SSE, whose first event is `endpoint` */
	bool begun;
	bool listens;             /* it belongs to the listener */
	long status;
	char *session, *challenge; /* headers of the response */
};

int transfer_open(struct transfer *t, struct http *h, const char *url, struct error *err);
int transfer_header(struct transfer *t, const char *fmt, ...) MT_PRINTF(2, 3);
/** Run the transfer to its end. After each event, `look` (may be NULL) is called; any
 *  result but 1 ends the transfer with that result. @return MT_OK when the server ended
 *  it. */
int transfer_run(struct transfer *t,
		 int (*look)(struct transfer *t, int64_t *ret_until, struct error *err),
		 struct error *err);
void transfer_close(struct transfer *t);

/** Send a message by POST; with `p`, wait for its response. */
int http_post(struct http *h, const char *url, const char *text, size_t len,
	      struct pending *p, struct error *err);
/** Start the thread for messages that the server sends without a request. */
int listener_start(struct http *h, bool stream);
void listener_stop(struct http *h);
/** The server answered the listener's request. */
void listener_heard(struct http *h);
/** Wait briefly for that: a server may answer calls on that stream. */
void listener_wait(struct http *h);

struct http *http_new(struct client *c);
void http_free(struct http *h);

#endif
