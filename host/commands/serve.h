/* SPDX-License-Identifier: MIT
 *
 * serve.h - what the files of `mortise tools serve` share. */
#ifndef HOST_COMMANDS_SERVE_H
#define HOST_COMMANDS_SERVE_H

#include "commands/tools.h"

#include <uv.h>

#define SERVE_MODERN "2026-07-28" /* the version without a handshake */

enum {
	SERVE_MESSAGE_MAX = 16 << 20,
	RPC_PARSE = -32700, RPC_INVALID = -32600, RPC_METHOD = -32601, RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603, RPC_HEADER = -32020, RPC_VERSION = -32022,
};

/** The versions with a handshake, newest first; NULL-terminated. */
extern const char *const serve_legacy[];

struct serve;

/** Who a message came from. */
struct peer {
	/** Send one message, whose buffer may be changed. `last`: it answers the request;
	 *  `code`: it is this error, 0: none. */
	void (*send)(struct peer *p, struct strbuf *b, bool last, int code);
	const char *session;   /* of a client with several peers; NULL: it has this one */
};

/** A message came in; a request is answered now or later. */
void serve_message(struct serve *s, struct peer *p, json_object *doc);
/** The peer is gone: its calls end without a word. */
void serve_forget(struct serve *s, struct peer *p);
/** Schema of the parameters of a tool that is offered; NULL: there is none. Borrowed. */
json_object *serve_schema(const struct serve *s, const char *tool);
void serve_refuse(struct peer *p, json_object *id, int code, const char *text,
		  const char *data);

/* ---- serve-http.c ---- */

/** Listen; the address is told on standard error output. */
int web_open(uv_loop_t *loop, struct serve *s, const struct web_options *o,
	     struct web **ret, struct error *err);
/** Close every connection. May be called again. */
void web_close(struct web *w);
/** After the loop has ended. NULL: nothing. */
void web_free(struct web *w);

#endif
