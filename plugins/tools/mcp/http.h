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
	pthread_mutex_t lock;     /* of what follows */
	char *session;            /* Mcp-Session-Id; NULL: none */
	char *token;              /* for Authorization; NULL: none */
	unsigned tokens;          /* how many there were */
	char *endpoint;           /* old SSE: where to send; NULL: not told yet */
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
	struct pending *pending;  /* that it is for; or NULL */
	struct strbuf body;
	struct sse sse;
	bool is_sse, is_stream;   /* is_stream: old SSE, whose first event is `endpoint` */
	bool begun;
	bool listens;             /* of the listener */
	long status;
	char *session, *challenge; /* headers of the answer */
};

int transfer_open(struct transfer *t, struct http *h, const char *url, struct error *err);
int transfer_header(struct transfer *t, const char *fmt, ...) MT_PRINTF(2, 3);
/** Run it to its end. `look` (may be NULL) is asked each time something happened:
 *  not 1 ends it with that. @return MT_OK when the server ended it. */
int transfer_run(struct transfer *t,
		 int (*look)(struct transfer *t, int64_t *ret_until, struct error *err),
		 struct error *err);
void transfer_close(struct transfer *t);

/** Send a message by POST; with `p`, wait for the answer to it. */
int http_post(struct http *h, const char *url, const char *text, size_t len,
	      struct pending *p, struct error *err);
/** The thread for messages that the server sends without a request. */
int listener_start(struct http *h, bool stream);
void listener_stop(struct http *h);
/** The request was answered. */
void listener_heard(struct http *h);
/** Wait a little for that: a server may answer calls by that stream. */
void listener_wait(struct http *h);

struct http *http_new(struct client *c);
void http_free(struct http *h);

#endif
