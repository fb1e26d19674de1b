/* SPDX-License-Identifier: MIT
 *
 * message.h - parses lines from the host. It uses no files or processes. */
#ifndef RUNNER_MESSAGE_H
#define RUNNER_MESSAGE_H

#include "error.h"
#include "js.h"

#define PROTOCOL "mortise-runner/1"

enum message_kind {
	MESSAGE_HELLO = 1,
	MESSAGE_ATTACH,
	MESSAGE_CALL,
	MESSAGE_PREVIEW,
	MESSAGE_LIST,
	MESSAGE_CANCELLED,
	MESSAGE_INPUT,
	MESSAGE_WINDOW,
	MESSAGE_ACK,
	MESSAGE_ANSWER,
	MESSAGE_PIECE,
	MESSAGE_UNKNOWN, /* a method that this version does not have */
};

enum { MESSAGE_ID_MAX = 128 };

struct message {
	enum message_kind kind;
	json_object *doc;      /* owned */
	json_object *params;   /* borrowed from doc; NULL: none */
	const char *method;    /* borrowed; NULL: an answer */
	char id[MESSAGE_ID_MAX]; /* JSON text of the id, or of the call concerned; "" if
	                          there is none */
};

/** Parse a line. On failure there is nothing to free. */
int message_read(const char *line, size_t len, struct message *ret, struct error *err);
void message_clear(struct message *m);

#endif
