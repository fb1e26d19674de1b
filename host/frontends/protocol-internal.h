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
	bool state_due; /* the new state was not sent yet */
	bool questions_due; /* the new questions of tools were not sent yet */
	struct held *held, *held_last; /* held pieces of replies */
	size_t held_bytes;
	size_t lost;    /* lines left out because the client is slow */
	bool pumping;   /* the transport is notified when that is done */
	bool ending, ended;
	int exit_code;
};

/** Execute one line and write its result. The text may be modified. */
void session_command_line(struct session *s, char *line, size_t len);

/** Send pending output: events first, then the lines held until these are sent. */
void session_pump(struct session *s);

/** Hold a piece of a reply for later. @return false if the limit is reached or out of
 *  memory. */
bool held_delta(struct session *s, bool reasoning, const char *text, size_t len);
/** The same with a whole line, which is moved from `out`, where it starts at `start`. */
bool held_line(struct session *s, size_t start);
/** Write the first held piece or line, unless events must be sent before it. */
bool held_put(struct session *s);
void held_clear(struct session *s);

/** Members that hello and status share, without the braces. */
void session_put_facts(struct strbuf *b, struct conversation *c);

/** Start a line {"type":TYPE; session_end_line ends it. */
void session_begin_line(struct session *s, const char *type);
void session_end_line(struct session *s);

#endif
