/* SPDX-License-Identifier: MIT
 *
 * link.h - the connection to a conversation: its socket, lines in and out. */
#ifndef TERMINAL_LINK_H
#define TERMINAL_LINK_H

#include "js.h"
#include "jsonl.h"

enum { LINK_HELLO_MS = 10000 };

struct link {
	int fd; /* -1: not connected */
	struct jsonl in;
	struct strbuf out;  /* not sent yet */
	json_object *hello; /* NULL: it has not come */
	bool over;          /* the connection has ended */
	void (*on_line)(void *arg, json_object *line);
	void *arg;
	struct error refused;
};

/** Connect and wait for the hello. @return MT_ENOTFOUND: no process has this
 *  conversation open. */
int link_open(struct link *l, const char *id, struct error *err);
void link_close(struct link *l);
bool link_is_open(const struct link *l);
/** Queue a line; a newline is added. */
int link_send(struct link *l, const char *text, size_t len);
/** What to poll for, and what to do with what poll found. */
short link_wants(const struct link *l);
void link_serve(struct link *l, short events);

#endif
