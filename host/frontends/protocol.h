/* SPDX-License-Identifier: MIT
 *
 * protocol.h - mortise-conversation/1: a conversation as JSON lines, with events as
 * output and commands as input (doc/conversation-protocol.md). A session serves one
 * client. The transport feeds it input and takes its output. A session stores a position
 * in the log, not a copy: events are read from the log when the client has taken the
 * earlier output, so a slow client costs neither memory nor time. */
#ifndef HOST_FRONTENDS_PROTOCOL_H
#define HOST_FRONTENDS_PROTOCOL_H

#include "conversation/conversation.h"

enum {
	PROTOCOL_VERSION = 1,
	COMMAND_LINE_MAX = 24 << 20, /* a longer line ends the session */
	SESSION_QUEUE = 64 << 10,   /* maximum output before events wait in the log */
};

struct session;

struct session_options {
	int64_t from; /* first event to send; -1: none until `subscribe` */
	bool live;    /* also send deltas and live output */
	/** Output is pending. */
	void (*ready)(void *arg);
	/** A client asked the conversation to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to keep running without clients; may be NULL. */
	void (*keep)(void *arg);
	void *arg;
};

/** Start a session with the hello line. NULL: out of memory, or too many watchers. */
struct session *session_new(struct conversation *c, const struct session_options *o);
struct session *session_free(struct session *s);
AUTO_DEFINE(session, struct session *, session_free)

/** Process bytes from the client, in pieces of any size. Commands are executed
 *  immediately.
 *  @return MT_OK, or MT_ELIMIT (a line too long; the client was notified) or MT_ENOMEM.
 *  After an error no more input is read. */
int session_feed(struct session *s, const char *bytes, size_t len);
/** Move pending output to `ret`, which must be empty; its memory is reused for later
 *  output. @return false if there is none. */
bool session_take(struct session *s, struct strbuf *ret);
/** Number of bytes that can be taken. */
size_t session_waiting(const struct session *s);
/** Write the remaining events, then the last line: the process exits. */
void session_end(struct session *s, int exit_code);

#endif
