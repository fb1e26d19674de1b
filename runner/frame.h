/* SPDX-License-Identifier: MIT
 *
 * frame.h - messages between the supervisor and a worker over a SOCK_SEQPACKET pair, each
 * delivered completely or not at all.
 *
 * A worker runs foreign code, so the supervisor trusts no frame: the handler of each
 * checks sizes, types and numbers. */
#ifndef RUNNER_FRAME_H
#define RUNNER_FRAME_H

#include "error.h"
#include "strbuf.h"
#include <stdint.h>

enum {
	FRAME_PIECE = 60 * 1024,        /* maximum payload of one message */
	FRAME_BUFFER = FRAME_PIECE + 64,
	FRAME_WHOLE_MAX = 24 << 20,     /* maximum size of a frame in pieces */
	FRAME_MARK = 0x4d54,
};

enum frame_type {
	/* to the worker */
	FRAME_CALL = 1,   /* status: number of the instance; aux: enum frame_wanted;
	                     struct frame_call, tool NUL spool path NUL id of the host NUL
	                     arguments */
	FRAME_LIST,       /* status: number of the instance */
	FRAME_CANCEL,
	FRAME_INPUT,
	FRAME_ANSWER,     /* aux: number of the request; status; flags; text */
	FRAME_CLOSE,      /* close the instances and exit */
	/* from the worker */
	FRAME_TEXT = 32,  /* more text of the result */
	FRAME_MEDIA,      /* mime NUL bytes */
	FRAME_FIELDS,     /* a JSON object */
	FRAME_DONE,       /* status; flags; a sentence unless it is MT_OK */
	FRAME_OUTPUT,     /* aux: bytes that were dropped before */
	FRAME_PROGRESS,   /* struct frame_progress, message */
	FRAME_REQUEST,    /* aux: its number; method NUL params */
	FRAME_TOOLS,      /* a JSON array */
	FRAME_CHANGED,    /* status: number of the instance */
	FRAME_LOG,        /* status: number of the instance; aux: level; text */
	FRAME_LIMIT,      /* the call has more output than it may */
};

enum {
	FRAME_MORE = 1u << 0,       /* the payload continues in the next message */
	FRAME_RETIRE = 1u << 1,     /* DONE: replace this worker when it is idle */
	FRAME_SPOOLED = 1u << 2,    /* DONE: the spool file exists */
	FRAME_SPOOL_FULL = 1u << 3, /* DONE: and its cap was reached */
	FRAME_TEXT_CUT = 1u << 4,   /* DONE: the result was truncated at its limit */
	FRAME_UNFINISHED = 1u << 5, /* ANSWER: a piece; the answer comes later */
};

enum frame_wanted {
	FRAME_RESULT = 0, /* of the call */
	FRAME_PREVIEW,    /* preview of a call */
};

struct frame {
	uint16_t type;
	uint16_t flags;
	int32_t status;
	uint64_t id;      /* of the call; 0: none */
	uint64_t aux;
	const char *data;
	size_t len;
};

struct frame_call {
	int64_t deadline; /* CLOCK_MONOTONIC in ms; -1: none */
};

struct frame_progress {
	double done, total;
};

/** Encode one message of at most FRAME_PIECE payload bytes; `room` is FRAME_BUFFER.
 *  @return its length. */
size_t frame_encode(const struct frame *f, char *buffer);
/** Read one message. The payload is borrowed from `buffer`.
 *  @return MT_OK or MT_EINVAL. */
int frame_decode(const char *buffer, size_t len, struct frame *ret);
/** Send a frame in as many messages as it needs, blocking unless `flags` has
 *  MSG_DONTWAIT (then only frames of one piece).
 *  @return MT_OK, MT_ELIMIT (would block) or MT_EIO. */
int frame_send(int fd, const struct frame *f, int flags);

/** Assemble the pieces of frames. @return 1: `*f` is complete (its payload borrowed from
 *  `parts` or from the message), 0: incomplete, < 0: invalid. */
int frame_join(struct strbuf *parts, struct frame *f);

/** Remove the text up to the next NUL from the front of a payload.
 *  @return NULL if there is no NUL. */
const char *frame_text(const char **data, size_t *len);

#endif
