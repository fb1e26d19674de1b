/* SPDX-License-Identifier: MIT
 *
 * runner-connection.h - the host's end of the connection to a runner: mortise-runner/1
 * over the standard input and output of the process that a runtime launched
 * (doc/runner-protocol.md).
 *
 * One link is one runner. Everything is asynchronous on the loop; callbacks
 * come from the loop, never from inside a link_ function. */
#ifndef LIB_RUNNER_CLIENT_RUNNER_CONNECTION_H
#define LIB_RUNNER_CLIENT_RUNNER_CONNECTION_H

#include "error.h"
#include "js.h"
#include "runner-client/runner-spec.h"
#include <uv.h>

struct runner;

/** One medium of a result. */
struct runner_media {
	const char *mime;
	const void *bytes;
	size_t len;
};

/** How a call ended. Borrowed until the callback returns. */
struct runner_result {
	uint64_t call;
	int status;             /* MT_OK: the tool returned; else why it failed */
	bool crashed;           /* the worker died, hung or broke the protocol: */
	int signal;             /*   by this signal; 0: none */
	const char *text;       /* what the model reads; valid UTF-8 */
	size_t text_len;
	const char *error;      /* a sentence when status is not MT_OK, else NULL */
	json_object *fields;    /* of the observation; or NULL */
	const struct runner_media *media;
	size_t media_count;
	const char *spool;      /* path of the whole output; NULL: none kept */
	bool spool_full;        /* its cap was reached: the end is missing there */
	bool cut;               /* the text was cut at result_max */
};

/** Callbacks for messages of the runner. Any member may be NULL. */
struct runner_events {
	/** The hello is done: calls leave without delay from now on. */
	void (*ready)(void *arg);
	void (*output)(void *arg, uint64_t call, const char *bytes, size_t len);
	void (*progress)(void *arg, uint64_t call, double done, double total,
			 const char *message);
	void (*result)(void *arg, const struct runner_result *result);
	/** A tool asks (model/complete, user/ask, secret/get, ...): answer with
	 *  runner_answer, now or later. `params` is borrowed. */
	void (*request)(void *arg, uint64_t call, uint64_t request, const char *method,
			json_object *params);
	/** Tools of an instance: [{name, description, brief, schema, events,
	 *  hints}]. */
	void (*tools)(void *arg, const char *instance, json_object *tools);
	void (*log)(void *arg, int level, const char *instance, const char *text);
	/** The runner is gone. Every open call has had its result before. */
	void (*closed)(void *arg, const struct error *why);
};

/** Launch and say hello. Calls may be made at once; they wait for the hello.
 *  `events` is borrowed for the life of the link. SIGPIPE is ignored from now
 *  on, as libuv's writes need. */
int runner_open(uv_loop_t *loop, const struct runner_spec *spec,
		const struct runner_events *events, void *arg, struct runner **ret,
		struct error *err);
/** Start a call. `call` is the caller's number, unique in the link. `args` is
 *  JSON text. timeout_ms 0: the default of the runner; -1: none. Whatever goes
 *  wrong later comes as a result. */
int runner_call(struct runner *l, uint64_t call, const char *instance, const char *tool,
		const char *args, size_t len, int64_t timeout_ms, struct error *err);
/** The same for a preview: the result states what such a call would do. */
int runner_preview(struct runner *l, uint64_t call, const char *instance,
		   const char *tool, const char *args, size_t len, int64_t timeout_ms,
		   struct error *err);
/** Ask a call to end; its result says MT_ECANCELLED. No such call: nothing. */
void runner_cancel(struct runner *l, uint64_t call);
int runner_input(struct runner *l, uint64_t call, const char *bytes, size_t len);
/** Answer a request of a tool. status MT_OK: `json` is the result object; else
 *  it is a sentence. */
int runner_answer(struct runner *l, uint64_t request, int status, const char *text,
		  size_t len);
/** Answer a request of a tool with a failure and its sentence. */
void runner_refuse(struct runner *l, uint64_t request, int status, const char *why);
/** A piece of the answer to a request, a JSON object; the answer comes later. */
int runner_piece(struct runner *l, uint64_t request, const char *json, size_t len);
/** Ask for the tools of an instance; the answer comes as `tools`. */
int runner_list(struct runner *l, const char *instance, struct error *err);
/** Has an instance said that its tools are others now, and not listed them since? */
bool runner_changing(const struct runner *l);
/** End the runner and its whole tree; `closed` is called when it is gone, the
 *  link is freed after that. Waits at most a few seconds, then kills. */
void runner_close(struct runner *l);
/** Process id of what was launched, for ps and benches; -1: none. */
int runner_pid(const struct runner *l);

/** Make `to` a copy of a result, owned. If memory for it runs out, the copy is a result
 *  that reports this. */
void runner_result_copy(struct runner_result *to, const struct runner_result *from);
/** Free what a copy owns; it is zeroed. */
void runner_result_clear(struct runner_result *r);
/** The exit code that a result reports; 0 if it reports none, or the command has not
 *  ended. */
int64_t runner_result_exit_code(const struct runner_result *r);
/** Is it the result of a command that has not ended, or of input to none? */
bool runner_result_is_incomplete(const struct runner_result *r);
/** Does a tool that returned MT_OK report that what it ran failed, as a page or a cell? */
bool runner_result_is_failure(const struct runner_result *r);

#endif
