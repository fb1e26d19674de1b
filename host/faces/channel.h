/* SPDX-License-Identifier: MIT
 *
 * channel.h - a session on descriptors: a socket, or a pair of pipes. */
#ifndef HOST_FACES_CHANNEL_H
#define HOST_FACES_CHANNEL_H

#include "faces/protocol.h"

struct channel;

struct channel_options {
	struct session_options session; /* ready and arg are set by the channel */
	bool hold;                      /* an open channel keeps the loop going */
	bool both;                      /* the end of what comes in ends it whole */
	/** Nothing more comes in; may be NULL. */
	void (*input_over)(void *arg);
	/** What went out cannot be written any more; may be NULL. */
	void (*lost)(void *arg);
	/** A client asked to stop; may be NULL. */
	void (*stopped)(void *arg);
	/** A client asked the process to stay; may be NULL. */
	void (*keep)(void *arg);
	/** It is closed; the memory is freed after this. May be NULL. */
	void (*closed)(void *arg);
	void *arg;
};

/** `in` may be -1 (no commands) or the same as `out` (a socket). Both are taken
 *  over, also on failure. A file is read whole when it starts; an `out` that is
 *  no pipe or socket is written at once. */
int channel_open(uv_loop_t *loop, struct conversation *c, int in, int out,
		 const struct channel_options *o, struct channel **ret,
		 struct error *err);
/** Read commands from now on. */
void channel_start(struct channel *ch);
/** Say that the process ends; closes when all is written. */
void channel_end(struct channel *ch, int exit_code);
/** Close it now. Twice is fine until `closed` was called. */
void channel_close(struct channel *ch);
/** Bytes written so far: does it get on? */
uint64_t channel_written(const struct channel *ch);

#endif
