/* SPDX-License-Identifier: MIT
 *
 * connection.h - the connection to a conversation: its socket, lines in and out. */
#ifndef TERMINAL_CONNECTION_H
#define TERMINAL_CONNECTION_H

#include "js.h"
#include "jsonl.h"

enum { LINK_HELLO_MS = 10000 };

struct connection {
	int fd; /* -1: not connected */
	struct jsonl in;
	struct strbuf out;  /* not sent yet */
	json_object *hello; /* NULL: not received yet */
	bool over;          /* the connection has ended */
	void (*on_line)(void *arg, json_object *line);
	void *arg;
	struct error refused;
};

/** Connect and wait for the hello. @return MT_ENOTFOUND: no process has this
 *  conversation open. */
int connection_open(struct connection *l, const char *id, struct error *err);
void connection_close(struct connection *l);
bool connection_is_open(const struct connection *l);
/** Queue a line; a newline is added. */
int connection_send(struct connection *l, const char *text, size_t len);
/** The events to poll for; handle those that poll returned. */
short connection_wants(const struct connection *l);
void connection_serve(struct connection *l, short events);

#endif
