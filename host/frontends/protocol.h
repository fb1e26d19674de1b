/* SPDX-License-Identifier: MIT
 *
 * protocol.h - mortise-conversation/1: a conversation as JSON lines, events out
 * and commands in (doc/conversation-protocol.md).
 * A session is one client, independent of the transport, which feeds it input and
 * takes its output. It keeps a position in the log, not a copy of it: events are read
 * from the log when the client takes what was written before, so a slow client costs
 * neither memory nor time. */
#ifndef HOST_FRONTENDS_PROTOCOL_H
#define HOST_FRONTENDS_PROTOCOL_H

#include "conversation/conversation.h"

enum {
	PROTOCOL_VERSION = 1,
	COMMAND_LINE_MAX = 24 << 20, /* a longer line ends the session */
	SESSION_QUEUE = 64 << 10,   /* what waits before events wait in the log */
};

struct session;

struct session_options {
	int64_t from; /* first event to send; -1: none until `subscribe` */
	bool live;    /* deltas and live output too */
	/** There is something to take. */
	void (*ready)(void *arg);
	/** A client asked the conversation to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to keep running without clients; may be NULL. */
	void (*keep)(void *arg);
	void *arg;
};

/** Begin with the hello line. NULL: out of memory, or too many watchers. */
struct session *session_new(struct conversation *c, const struct session_options *o);
struct session *session_free(struct session *s);
AUTO_DEFINE(session, struct session *, session_free)

/** Bytes from the client, in pieces of any size. Commands are executed immediately.
 *  @return MT_OK, or MT_ELIMIT (a line too long; the client was notified) or
 *          MT_ENOMEM: nothing more is read of it. */
int session_feed(struct session *s, const char *bytes, size_t len);
/** Move pending output to `ret`, which must be empty; its memory is reused for later
 *  output. @return false if there is none. */
bool session_take(struct session *s, struct strbuf *ret);
/** Bytes that wait to be taken. */
size_t session_waiting(const struct session *s);
/** The process ends: what is left of the events, then the last line. */
void session_end(struct session *s, int exit_code);

#endif
