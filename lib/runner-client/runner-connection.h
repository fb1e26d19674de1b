/* SPDX-License-Identifier: MIT
 *
 * runner-connection.h - the host's end of the connection to a runner: mortise-runner/1
 * over the standard input and output of the process that a runtime launched
 * (doc/runner-protocol.md).
 *
 * One connection is one runner. All operations are asynchronous on the loop. Callbacks
 * are called from the loop, never from a runner_ function. */
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

/** The result of a call. Borrowed until the callback returns. */
struct runner_result {
	uint64_t call;
	int status;             /* MT_OK: the tool returned; else the reason */
	bool crashed;           /* the worker exited, hung, or violated the protocol: */
	int signal;             /* killed by this signal; 0: none */
	const char *text;       /* text for the model; valid UTF-8 */
	size_t text_len;
	const char *error;      /* a sentence if status is not MT_OK; otherwise NULL */
	const char *limit;      /* name of the limit that ended the call or a process of it;
	                           NULL: none */
	const char *limit_text; /* a sentence about it, which `error` contains; or NULL */
	json_object *fields;    /* fields of the observation; or NULL */
	const struct runner_media *media;
	size_t media_count;
	const char *spool;      /* path of the whole output; NULL: not stored */
	bool spool_full;        /* the file reached its limit: its end is missing */
	bool cut;               /* the text was truncated at result_max */
	const char *refused;    /* what the proxy of the sandbox refused while the call ran,
	                           one sentence per line; or NULL */
};

/** The sandbox of a runner, as it reported when it started. */
struct runner_sandbox {
	bool used;      /* there is one */
	bool enforced;  /* all of it */
	char reason[256]; /* why not all of it is; or "" */
};

/** Callbacks for messages of the runner. Any member may be NULL. */
struct runner_events {
	/** The hello is complete: from now on calls are sent immediately. */
	void (*ready)(void *arg);
	void (*output)(void *arg, uint64_t call, const char *bytes, size_t len);
	void (*progress)(void *arg, uint64_t call, double done, double total,
			 const char *message);
	void (*result)(void *arg, const struct runner_result *result);
	/** Request of a tool (model/complete, user/ask, secret/get, ...): answer with
	 *  runner_answer, now or later. `params` is borrowed. */
	void (*request)(void *arg, uint64_t call, uint64_t request, const char *method,
			json_object *params);
	/** Tools of an instance: [{name, description, brief, schema, events, hints}]; NULL:
	 *  they could not be listed, because of `why`. */
	void (*tools)(void *arg, const char *instance, json_object *tools,
		      const char *why);
	void (*log)(void *arg, int level, const char *instance, const char *text);
	/** The runner has exited. All open calls have received their results. */
	void (*closed)(void *arg, const struct error *why);
};

/** Launch a runner and send the hello. Calls may be made immediately; they are queued
 *  until the hello is answered. `events` is borrowed for the lifetime of the connection.
 *  SIGPIPE is ignored from now on, as libuv's writes require. */
int runner_open(uv_loop_t *loop, const struct runner_spec *spec,
		const struct runner_events *events, void *arg, struct runner **ret,
		struct error *err);
/** Start a call. `call` is the caller's number, unique in the connection. `args` is JSON
 *  text. timeout_ms 0: the runner's default; -1: none. Later errors are reported as
 *  results. */
int runner_call(struct runner *l, uint64_t call, const char *instance, const char *tool,
		const char *args, size_t len, int64_t timeout_ms, struct error *err);
/** The same for a preview: the result describes the effect of such a call. */
int runner_preview(struct runner *l, uint64_t call, const char *instance,
		   const char *tool, const char *args, size_t len, int64_t timeout_ms,
		   struct error *err);
/** Request that a call ends; its result has MT_ECANCELLED. Unknown calls are ignored. */
void runner_cancel(struct runner *l, uint64_t call);
int runner_input(struct runner *l, uint64_t call, const char *bytes, size_t len);
/** Answer a request of a tool. status MT_OK: `json` is the result object; otherwise it is
 *  a sentence. */
int runner_answer(struct runner *l, uint64_t request, int status, const char *text,
		  size_t len);
/** Answer a request of a tool with a failure and its sentence. */
void runner_refuse(struct runner *l, uint64_t request, int status, const char *why);
/** Send a part of the answer to a request, a JSON object; the answer follows. */
int runner_piece(struct runner *l, uint64_t request, const char *json, size_t len);
/** Request the tools of an instance; the answer arrives as `tools`. */
int runner_list(struct runner *l, const char *instance, struct error *err);
/** True if an instance has reported that its tools changed and has not listed them
 *  since. */
bool runner_changing(const struct runner *l);
/** Shut down the runner and its process tree. `closed` is called after it has exited;
 *  then the connection is freed. Kills the runner after a few seconds. */
void runner_close(struct runner *l);
/** Its sandbox; not used before `ready`. Borrowed. */
const struct runner_sandbox *runner_sandbox(const struct runner *l);
/** True if the instance was started outside of the sandbox, or is not known. */
bool runner_is_outside(const struct runner *l, const char *instance);
/** PID of the launched process, for ps and benchmarks; -1: none. */
int runner_pid(const struct runner *l);

/** For `log` of struct runner_events: write the line to the log of this process. */
void runner_write_log(void *arg, int level, const char *instance, const char *text);

/** Make `to` a copy of a result, owned. If memory for it runs out, the copy is a result
 *  that reports this. */
void runner_result_copy(struct runner_result *to, const struct runner_result *from);
/** Free what a copy owns; it is zeroed. */
void runner_result_clear(struct runner_result *r);
/** The exit code in a result; 0 if it has none or the command has not ended. */
int64_t runner_result_exit_code(const struct runner_result *r);
/** True for a command that has not ended, or for input without a running command. */
bool runner_result_is_incomplete(const struct runner_result *r);
/** True if a tool that returned MT_OK reports a failure of its content, such as a page or
 *  a cell. */
bool runner_result_is_failure(const struct runner_result *r);

#endif
