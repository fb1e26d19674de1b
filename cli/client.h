/* SPDX-License-Identifier: MIT
 *
 * client.h - the client side of a conversation's socket. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "conversation/conversation.h"
#include "jsonl.h"

enum { CLIENT_HELLO_MS = 5000 };

struct client {
	int fd;
	pid_t pid; /* the conversation's process */
	struct jsonl in;
	struct strbuf out;  /* not sent yet */
	json_object *hello; /* NULL: not received yet */
	bool over;          /* the connection has ended */
	/** Called for each line after the hello; it may modify the line. */
	void (*on_line)(char *line, size_t len, void *arg);
	void *arg;
	struct error refused; /* error received instead of a hello */
};

/** Connect, without waiting for the hello. @return MT_ENOTFOUND if no process has the
 *  conversation open. */
int client_open(struct client *p, const char *id, struct error *err);
/** Wait for the hello, at most CLIENT_HELLO_MS. */
int client_greet(struct client *p, struct error *err);
void client_close(struct client *p);

/** Queue a line (a newline is added), or unchanged bytes. */
int client_line(struct client *p, const char *text, size_t len);
int client_bytes(struct client *p, const char *bytes, size_t len);
/** Do all work that does not block; `events` are those of poll(2). */
void client_serve(struct client *p, short events);
/** The events to poll for. */
short client_wants(const struct client *p);

/** The ids that have a socket and belong to the state directory of `c`; see
 *  socket_dir_list. */
int client_list(const struct config *c, char ***ret, size_t *ret_count,
		struct error *err);
/** Full id of the open conversation of this state directory whose id starts with
 *  `prefix`; `prefix` NULL: the only one that is open. Owned; NULL with `err`: MT_EINVAL or
 *  MT_ENOTFOUND if the id is ambiguous or unknown, MT_EIO if nothing runs. */
char *client_find(const struct config *c, const char *prefix, struct error *err);

/** Pass a received line to a watcher, as the conversation itself would. Lines other than
 *  events, delta, output, progress, retry and notice are ignored. */
int client_notify(json_object *line, const struct watcher *w, void *arg,
		  struct error *err);

#endif
