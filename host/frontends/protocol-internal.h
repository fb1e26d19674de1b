/* SPDX-License-Identifier: MIT
 *
 * protocol-internal.h - a protocol session, shared by its files. */
#ifndef HOST_FRONTENDS_PROTOCOL_INTERNAL_H
#define HOST_FRONTENDS_PROTOCOL_INTERNAL_H

#include "frontends/protocol.h"
#include "jsonl.h"

struct session {
	struct conversation *c;
	struct session_options options;
	int watch;
	struct jsonl lines; /* input buffer */
	struct strbuf out;  /* output not taken yet */
	int64_t next;       /* event to send next; -1: not subscribed */
	bool live;
	bool state_due; /* the state changed, the client does not know */
	bool questions_due; /* so did the questions of tools */
	struct held *held, *held_last; /* pieces of replies that wait */
	size_t held_bytes;
	size_t lost;    /* lines left out because the client is slow */
	bool pumping;   /* the transport is notified when that is done */
	bool ending, ended;
	int exit_code;
};

/** Execute one line and write its result. The text may be changed. */
void session_command_line(struct session *s, char *line, size_t len);

/** Send what is possible now: events first, then lines that waited for them. */
void session_pump(struct session *s);

/** Hold a piece of a reply for later. @return false: there is no room. */
bool held_delta(struct session *s, bool reasoning, const char *text, size_t len);
/** The same with a whole line, which is taken from `out`, where it begins at
 *  `start`. */
bool held_line(struct session *s, size_t start);
/** Write the first that is held, unless events come before it. */
bool held_put(struct session *s);
void held_clear(struct session *s);

/** Members that hello and status share, without the braces. */
void session_put_facts(struct strbuf *b, struct conversation *c);

/** Begin a line {"type":TYPE; session_end_line closes it. */
void session_begin_line(struct session *s, const char *type);
void session_end_line(struct session *s);

#endif
