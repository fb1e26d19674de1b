/* SPDX-License-Identifier: MIT
 *
 * internal.h - shared by the files of the MCP server. */
#ifndef MCP_SERVER_INTERNAL_H
#define MCP_SERVER_INTERNAL_H

#include "exit-code.h"
#include "mcp-server.h"
#include "jsonl.h"
#include "llm/transport/http-requests.h"
#include "skills/skills.h"
#include "runner-client/runner-connection.h"

#include <uv.h>

#define MCP_MODERN "2026-07-28" /* the version without a handshake */

#define META "io.modelcontextprotocol/"

enum {
	MCP_MESSAGE_MAX = 16 << 20,
	ANSWER_MAX = 64 << 20,
	LOG_NOTHING = -1,
	OUTPUT_SHOWN_MAX = 2048,
	CALLS_MAX = 256,   /* concurrent calls */
	ID_LONGEST = 1024, /* bytes of an id that is a string */
	CAPABILITIES_MAX = 64 << 10, /* bytes of the capabilities of a client */
	LINGER_MS = 10000, /* for open calls after the end of the input */
	STDOUT_WAIT_MS = 30000, /* timeout for a client that does not read */
	RPC_PARSE = -32700,
	RPC_INVALID = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_RESOURCE = -32002, /* of the versions with a handshake */
	RPC_HEADER = -32020,
	RPC_CAPABILITY = -32021,
	RPC_VERSION = -32022,
};

/** The versions with a handshake, newest first; NULL-terminated. */
extern const char *const mcp_versions[];

/** The settings that a client made in its handshake and later. */
struct mcp_session {
	int log_level; /* index of the names in logging.c; LOG_NOTHING: no messages */
	json_object *capabilities; /* of the client; or NULL */
};

/** Sender of a message. */
struct mcp_client {
	/** Send one message, whose buffer may be modified. `last`: the message answers
	 *  the request; `code`: it is this error, 0: none. */
	void (*send)(struct mcp_client *p, struct strbuf *b, bool last, int code);
	/** The request gets no response; NULL: nothing to do. */
	void (*abandon)(struct mcp_client *p);
	const char *session; /* of a client with several peers; NULL: only this one */
	struct mcp_session *known; /* while a message is handled; NULL: no session */
	struct mcp_server *server; /* of the client at standard output */
	bool one_answer; /* the client can receive only the answer to its request */
};

/** A running call. */
struct mcp_call {
	struct mcp_call *next;
	struct mcp_client *peer; /* client that gets the result; NULL: disconnected */
	uint64_t number;         /* of the link */
	json_object *id, *token; /* token NULL: no progress requested */
	size_t written;          /* bytes of live output */
	size_t instance;         /* index in the catalog's instances */
	int log_level;           /* level of the messages for the client */
	char *tool;              /* its name */
	bool modern;             /* see struct mcp_request */
	json_object *capabilities, *responses; /* of the client, and its answers; or NULL */
	struct mcp_ask *asks;    /* requests to the client without an answer */
	unsigned asked;          /* requests to the client so far */
	const char *lacks;       /* capability that the tool would need; NULL: none */
	char state[33];          /* requestState of a parked call; "": it is not parked */
	struct http_requests http;  /* of the tool */
	struct mask_stream shown;   /* of live output */
	bool cancelled, counts;  /* counts: the tool reports its progress */
};

/** A request of a client. */
struct mcp_request {
	struct mcp_server *server;
	struct mcp_client *peer;
	json_object *id, *params;
	bool modern; /* of the version without a handshake */
};

struct mcp_server {
	struct catalog *catalog;
	const struct config *config;
	struct mask *mask;     /* of secrets that tools received */
	struct skills *skills; /* offered as prompts; NULL: none */
	const char *workspace; /* its real path */
	const char *uri;       /* prefix of its files; NULL: they are not offered */
	struct runner *link;
	uv_loop_t *loop;
	uv_poll_t in;
	uv_idle_t file; /* reads standard input instead, if it is a file */
	bool is_file;
	uv_timer_t timer;
	uv_timer_t ask_timer; /* of asks.c; `data` is the server */
	uv_signal_t signals[3];
	struct jsonl lines;
	struct mcp_call *calls;
	size_t call_count;
	struct mcp_watch *watches; /* of subscriptions.c */
	size_t watch_count;
	uint64_t numbers;
	int64_t ask_ids; /* of requests to clients */
	struct mcp_client standard; /* standard output */
	struct mcp_session session; /* of standard input */
	struct mcp_http *web;       /* over HTTP; NULL: over standard input and output */
	bool greeted;               /* after a handshake: notifications may be sent */
	bool ended;
	bool mute;                  /* standard output failed: nothing more is sent */
	int code;
};

/* ---- methods.c ---- */

/** Handle a message; the response may be sent later. */
void mcp_handle_message(struct mcp_server *s, struct mcp_client *p, json_object *doc);
/** Drop the calls of a client that disconnected; nothing is sent. */
void mcp_forget_client(struct mcp_server *s, struct mcp_client *p);
/** Schema of the parameters of a tool that is offered; NULL: there is none. Borrowed. */
json_object *mcp_tool_schema(const struct mcp_server *s, const char *tool);
/** The id if it is a number or a short string, otherwise NULL. */
json_object *mcp_checked_id(json_object *id);
void mcp_send_error(struct mcp_client *p, json_object *id, int code, const char *text,
		    const char *data);

/** Send one line on standard output. If that fails, the server ends. */
void mcp_send_stdout(struct mcp_client *p, struct strbuf *b, bool last, int code);
void mcp_send(struct mcp_client *p, struct strbuf *b);
/** Send a notification outside of any request: to the client at standard output, or to
 *  the open streams of a session. NULL: of every session. */
void mcp_notify(struct mcp_server *s, const char *session, struct strbuf *b);
/** Start a reply: the members up to the value of `member`. */
void mcp_begin_reply(struct strbuf *b, json_object *id, const char *member);
/** End and send the result of a request that mcp_begin_reply started. `cached`: clients
 *  may cache results of this method. */
void mcp_send_result(const struct mcp_request *q, struct strbuf *b, bool cached);
/** Answer that parameters are invalid. */
void mcp_refuse_params(const struct mcp_request *q, const char *fmt, ...) MT_PRINTF(2, 3);
/** The member of the parameters that the header Mcp-Name repeats; NULL: there is none. */
const char *mcp_name_of(const char *method, json_object *params);

/* ---- server.c ---- */

/** Standard output failed with this errno: end the server from the loop. */
void mcp_stdout_failed(struct mcp_server *s, int error);

/* ---- contents.c ---- */

/** Append a ResourceContents object: a text, or other bytes as base64. */
void mcp_put_resource(struct strbuf *b, const char *uri, const char *bytes, size_t len);
/** Append a content object: an image, or an embedded resource. */
void mcp_put_content(struct strbuf *b, const char *uri, const char *bytes, size_t len);

/* ---- prompts.c ---- */

/** A skill that is offered as a prompt; NULL: there is none of this name. */
struct skill *mcp_prompt_find(const struct mcp_server *s, const char *name);
void mcp_prompts_list(const struct mcp_request *q);
void mcp_prompts_get(const struct mcp_request *q);

/* ---- resources.c ---- */

/** Append the default prefix of the URIs of files. */
int mcp_resources_prefix(const char *workspace, struct strbuf *out);
void mcp_resources_list(const struct mcp_request *q);
void mcp_resources_templates(const struct mcp_request *q);
void mcp_resources_read(const struct mcp_request *q);

/* ---- subscriptions.c ---- */

void mcp_resources_subscribe(const struct mcp_request *q);
void mcp_resources_unsubscribe(const struct mcp_request *q);
/** The session has ended. */
void mcp_subscriptions_end(struct mcp_server *s, const char *session);
void mcp_subscriptions_close(struct mcp_server *s);

/* ---- asks.c ---- */

/** Capabilities of the sender of a request; or NULL. Borrowed. */
json_object *mcp_capabilities(const struct mcp_request *q);
/** True if the client supports this request. */
bool mcp_client_can(json_object *capabilities, const char *name);
/** Pass a request of a tool to the client, or refuse it. `c` NULL: an unknown call. */
void mcp_asks_request(struct mcp_server *s, struct mcp_call *c, uint64_t request,
		      const char *method, json_object *params);
/** Handle the response of the client to a request. */
void mcp_asks_answered(struct mcp_server *s, const struct mcp_client *p,
		       json_object *doc);
/** Continue the parked call that a request repeats. @return false if there is none. */
bool mcp_call_resume(const struct mcp_request *q);
void mcp_asks_clear(struct mcp_call *c);

/* ---- logging.c ---- */

void mcp_logging_set(const struct mcp_request *q);
/** Level of the messages that the sender of this request gets. */
int mcp_logging_level(const struct mcp_request *q);
/** Send a log line of an instance to the clients that requested its level: those with a
 *  call to the instance, or the client at standard output. */
void mcp_logging_send(struct mcp_server *s, int level, const char *instance,
		      const char *text);

/* ---- completion.c ---- */

void mcp_complete(const struct mcp_request *q);

/* ---- calls.c ---- */

extern const struct runner_events mcp_runner_events;
void mcp_call_start(const struct mcp_request *q);
void mcp_call_cancel(struct mcp_server *s, const struct mcp_client *p,
		     json_object *params);
void mcp_call_drop(struct mcp_server *s, struct mcp_call *c);
/** Set the request that the call answers: its id, and its members. */
void mcp_call_set_request(struct mcp_call *c, const struct mcp_request *q);
bool mcp_is_same_client(const struct mcp_client *a, const struct mcp_client *b);
/** Stop reading from clients. */
void mcp_stop_input(struct mcp_server *s);
void mcp_close_handles(struct mcp_server *s);

/* ---- http.c ---- */

/** Listen; prints the address on standard error. */
int mcp_http_open(uv_loop_t *loop, struct mcp_server *s, const struct mcp_http_options *o,
		  struct mcp_http **ret, struct error *err);
/** See mcp_notify. */
void mcp_http_notify(struct mcp_http *w, const char *session, struct strbuf *b);
/** Close every connection. May be called again. */
void mcp_http_close(struct mcp_http *w);
/** Free the server after the loop has ended. NULL is allowed. */
void mcp_http_free(struct mcp_http *w);

#endif
