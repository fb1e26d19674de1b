/* SPDX-License-Identifier: MIT
 *
 * runner-connection-internal.h - shared declarations of the files of the runner connection. */
#ifndef LIB_RUNNER_CLIENT_RUNNER_CONNECTION_INTERNAL_H
#define LIB_RUNNER_CLIENT_RUNNER_CONNECTION_INTERNAL_H

#include "jsonl.h"
#include "runner-client/runner-connection.h"
#include "runner-client/runner-protocol.h"

enum {
	HELLO_BYTES_MAX = 15 << 20,
	QUEUE_MAX = 32 << 20,     /* maximum bytes that the runner has not read */
	HELLO_MS = 30000,
	HELLO_LATE_MS = 10000,             /* a warning is logged */
	CANCEL_TIMEOUT_MS = 10000,         /* after the grace: the runner is abandoned */
	GRACE_MS = 2000,
	INPUT_TIMEOUT_MS = 1000,           /* until a runner with closed input is abandoned */
	CLOSE_MS = 4000,          /* time limit for shutdown, then kill */
	NOISE_MAX = 200,          /* maximum number of foreign lines before the hello */
};

/** One part of a result that was sent in chunks. */
struct part {
	struct strbuf data;       /* text, or base64 */
};

struct open_call {
	struct open_call *next;
	uint64_t id;
	char *instance;
	struct part *parts;
	size_t part_count;
	uint64_t stuck_at;        /* time to abandon a cancelled call, or 0 */
	bool withdrawn;           /* cancelled before it was sent */
};

struct runner {
	uv_loop_t *loop;
	const struct runner_events *events;
	void *arg;
	uv_process_t process;
	uv_pipe_t in, out;        /* its standard input and output */
	uv_timer_t timer;         /* hello, stuck cancel, close */
	uv_timer_t later;         /* for actions that must wait for the loop */
	unsigned handles;         /* number of handles not yet closed */
	bool started, exited, eof, finishing, closing, greeted, in_closed;
	int64_t exit_code;
	int exit_signal;
	uint64_t hello_left_ms;   /* for the hello, after the warning */
	int64_t grace_ms, result_max;
	struct jsonl lines;
	struct strbuf waiting;    /* calls made before the hello was answered */
	size_t queued;
	int64_t consumed;         /* bytes of the window, not yet reported */
	unsigned noise;
	struct open_call *calls;
	char **granted;           /* "instance NEWLINE secret" */
	size_t granted_count;
	json_object *outside;     /* {instance: it is outside of the sandbox} */
	json_object *listing;     /* {instance: request the list again} */
	json_object *changing;    /* {instance: true}: changed, but not listed yet */
	struct runner_sandbox sandbox;
	struct error why;
	char *stderr_path;        /* file with its error output; or NULL */
	char room[65536];         /* read buffer */
};

/* runner-calls.c */
struct open_call *runner_open_call_find(struct runner *l, uint64_t id);
struct open_call *runner_open_call_add(struct runner *l, uint64_t id,
				       const char *instance);
void runner_open_call_drop(struct runner *l, struct open_call *c);
/** Store a chunk. @return MT_OK, MT_EINVAL if it is malformed, MT_ELIMIT if it is too
 *  large, MT_ENOMEM. */
int runner_open_call_chunk(struct runner *l, struct open_call *c, json_object *params,
			   size_t *ret_bytes);
/** Pass the result in a line to the caller and free the call. */
int runner_open_call_result(struct runner *l, struct open_call *c,
			    const struct runner_line *r);
/** End the calls that were cancelled before they were sent. */
void runner_open_calls_end_withdrawn(struct runner *l);
/** End every open call with a sentence. */
void runner_open_calls_fail(struct runner *l, int status, bool crashed, int number,
			    const char *text);

/* runner-connection.c */
int runner_send(struct runner *l, const char *bytes, size_t len);
/** Abandon the runner, from the loop: open calls fail with this sentence. */
void runner_break(struct runner *l, int status, const char *fmt, ...) MT_PRINTF(3, 4);

/* runner-messages.c */
/** Handle one line of the runner. */
int runner_line(char *line, size_t len, void *arg);

#endif
