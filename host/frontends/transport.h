/* SPDX-License-Identifier: MIT
 *
 * transport.h - a session on descriptors: a socket, or a pair of pipes. */
#ifndef HOST_FRONTENDS_TRANSPORT_H
#define HOST_FRONTENDS_TRANSPORT_H

#include "frontends/protocol.h"

struct transport;

struct transport_options {
	struct session_options session; /* ready and arg are set by the transport */
	bool hold;                      /* an open transport keeps the loop running */
	bool both;                      /* the end of the input ends the transport */
	/** The input has ended; may be NULL. */
	void (*input_over)(void *arg);
	/** Output can no longer be written; may be NULL. */
	void (*lost)(void *arg);
	/** A client asked to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to keep running; may be NULL. */
	void (*keep)(void *arg);
	/** The transport is closed; its memory is freed after this. May be NULL. */
	void (*closed)(void *arg);
	void *arg;
};

/** `in` may be -1 (no commands) or the same as `out` (a socket). Takes ownership of both,
 *  even on failure. A file is read completely at the start. If `out` is not a pipe or
 *  socket, it is written to directly. */
int transport_open(uv_loop_t *loop, struct conversation *c, int in, int out,
		   const struct transport_options *o, struct transport **ret,
		   struct error *err);
/** Read commands from now on. */
void transport_start(struct transport *ch);
/** Report that the process exits, and close when all output is written. */
void transport_end(struct transport *ch, int exit_code);
/** Close the transport immediately. May be called again until `closed` was called. */
void transport_close(struct transport *ch);
/** Number of bytes written so far, to detect progress. */
uint64_t transport_written(const struct transport *ch);

#endif
