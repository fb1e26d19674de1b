/* SPDX-License-Identifier: MIT
 *
 * transport.h - a session on descriptors: a socket, or a pair of pipes. */
#ifndef HOST_FRONTENDS_TRANSPORT_H
#define HOST_FRONTENDS_TRANSPORT_H

#include "frontends/protocol.h"

struct transport;

struct transport_options {
	struct session_options session; /* ready and arg are set by the channel */
	bool hold;                      /* an open channel keeps the loop going */
	bool both;                      /* the end of the input closes the transport */
	/** Nothing more comes in; may be NULL. */
	void (*input_over)(void *arg);
	/** Output can no longer be written; may be NULL. */
	void (*lost)(void *arg);
	/** A client asked to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to stay; may be NULL. */
	void (*keep)(void *arg);
	/** The transport is closed; its memory is freed after this. May be NULL. */
	void (*closed)(void *arg);
	void *arg;
};

/** `in` may be -1 (no commands) or the same as `out` (a socket). Both are taken
 *  over, also on failure. A file is read whole when it starts; an `out` that is
 *  no pipe or socket is written at once. */
int transport_open(uv_loop_t *loop, struct conversation *c, int in, int out,
		   const struct transport_options *o, struct transport **ret,
		   struct error *err);
/** Read commands from now on. */
void transport_start(struct transport *ch);
/** Say that the process ends; closes when all is written. */
void transport_end(struct transport *ch, int exit_code);
/** Close it now. Twice is fine until `closed` was called. */
void transport_close(struct transport *ch);
/** Bytes written so far: does it get on? */
uint64_t transport_written(const struct transport *ch);

#endif
