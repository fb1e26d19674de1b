/* SPDX-License-Identifier: MIT
 *
 * peer.h - the other side of a conversation's socket: what a client does. */
#ifndef HOST_FACES_PEER_H
#define HOST_FACES_PEER_H

#include "controller/conversation.h"
#include "jsonl.h"

enum { PEER_HELLO_MS = 5000 };

struct peer {
	int fd;
	pid_t pid; /* the conversation's process */
	struct jsonl in;
	struct strbuf out;  /* not sent yet */
	json_object *hello; /* NULL: it has not come */
	bool over;          /* the connection has ended */
	/** A line, after the hello; it may be changed. */
	void (*on_line)(char *line, size_t len, void *arg);
	void *arg;
	struct error refused; /* what came instead of a hello */
};

/** Connect; without hello yet. @return MT_ENOTFOUND: nobody has it open. */
int peer_open(struct peer *p, const char *id, struct error *err);
/** Wait for the hello, at most PEER_HELLO_MS. */
int peer_greet(struct peer *p, struct error *err);
void peer_close(struct peer *p);

/** Queue a line (a newline is added) or bytes as they are. */
int peer_line(struct peer *p, const char *text, size_t len);
int peer_bytes(struct peer *p, const char *bytes, size_t len);
/** Do what can be done without waiting; `events` are those of poll(2). */
void peer_serve(struct peer *p, short events);
/** What to poll for. */
short peer_wants(const struct peer *p);

/** The ids that have a socket and are kept in the state directory of `c`: as
 *  place_list, which see. */
int peer_list(const struct config *c, char ***ret, size_t *ret_count, struct error *err);
/** Full id of the conversation of this state directory that is open and whose id
 *  begins like that; "" if only one is open. Owned; NULL with `err`. */
char *peer_find(const struct config *c, const char *prefix, struct error *err);

/** A line that came, told to a watcher as the conversation itself would. Other
 *  lines than events, delta, output, progress, retry and notice are passed
 *  over. */
int peer_tell(json_object *line, const struct watcher *w, void *arg, struct error *err);

#endif
