/* SPDX-License-Identifier: MIT
 *
 * server.h - the socket of a conversation: $XDG_RUNTIME_DIR/mortise/ID.sock, created
 * by the process that owns the conversation, for its user only. */
#ifndef HOST_FRONTENDS_SERVER_H
#define HOST_FRONTENDS_SERVER_H

#include "conversation/conversation.h"

enum { SERVER_CLIENTS_MAX = 16 };

struct server;

struct server_options {
	bool hold; /* keeps the loop going */
	/** The number of clients has changed; may be NULL. */
	void (*changed)(void *arg);
	/** A client asked to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to keep running; may be NULL. */
	void (*keep)(void *arg);
	void *arg;
};

int server_open(uv_loop_t *loop, struct conversation *c, const struct server_options *o,
		struct server **ret, struct error *err);
size_t server_clients(const struct server *s);
/** Remove the socket file, so that no new clients connect. May be called again. */
void server_unlink(struct server *s);
/** Notify the clients that the process exits, wait until they have read the remaining
 *  output (clients that do not read are disconnected), and free the server; then call
 *  `done`. */
void server_end(struct server *s, int exit_code, void (*done)(void *arg), void *arg);

#endif
