/* SPDX-License-Identifier: MIT
 *
 * supervisor.h - the process between the host and the workers. It does not load
 * plugins and runs one thread: host lines in, frames out and back, deadlines of calls,
 * and the shutdown. */
#ifndef RUNNER_SUPERVISOR_H
#define RUNNER_SUPERVISOR_H

#include "frame.h"
#include "jsonl.h"
#include "limit-state.h"
#include "message.h"
#include "spec.h"
#include "process-tree.h"
#include "sandbox/file-guard.h"
#include "sandbox/sandbox.h"

enum {
	OUT_HIGH_WATER = 256 * 1024,
	      /* above this, bulk is delayed and log lines are dropped */
	RESULTS_HIGH_WATER = 64 << 20,        /* above this, workers wait */
	PACKETS_MAX = 64 << 20,      /* bytes queued for one worker */
	CHUNK = 32 * 1024,           /* of a result, in bytes of text */
	QUESTIONS_MAX = 64,          /* open ones of a call */
};

/** A message for a worker that could not be sent immediately. */
struct packet {
	struct packet *next;
	size_t len;
	char bytes[];
};

struct worker_proc { /* a worker */
	struct worker_proc *next;
	unsigned number;
	char *plugin;                /* path */
	int instance;                /* instance that it was started for */
	const char *label;           /* its last part */
	pid_t pid;                   /* 0: reaped */
	int fd, log_fd;              /* -1: closed */
	int exited;                  /* the status of waitpid */
	struct strbuf parts;         /* a frame in pieces */
	struct packet *packets, **packets_end;
	size_t packet_bytes;
	struct strbuf log_line;
	int64_t log_second;
	unsigned log_count, log_dropped;
	bool retire;                 /* take no more calls, end when idle */
	bool closing;                /* was asked to exit */
	bool broken;                 /* wrote an invalid frame, or closed its connection */
	int64_t exit_deadline;       /* time to kill it if it has not exited; -1 */
	uint64_t killed_for;         /* number of the call that did not return; 0: none */
};

struct medium {
	char *mime;
	char *bytes;
	size_t len;
};

struct call {
	struct call *next;
	uint64_t number;             /* ours, for frames */
	char id[MESSAGE_ID_MAX];     /* the host's, JSON text */
	int instance;
	bool listing, preview;
	char *tool;
	unsigned worker;             /* number of its child */
	int64_t deadline, kill_at;   /* -1: none */
	int64_t timeout_ms;
	bool cancelled, timed_out;
	bool wall;                   /* the deadline is the limit wall_time */
	struct limit_base base;
	const char *limit;           /* name of the limit that it reached; NULL: none */
	char *limit_text;            /* a sentence about it */
	char *spool;                 /* path */
	/* the result */
	bool done;
	int status, signal;
	bool crashed, spooled, spool_full, text_cut;
	struct strbuf text;          /* valid UTF-8 once it is done */
	struct medium *media;
	size_t media_count, media_len;
	char *fields;                /* JSON text; or the tools of a listing */
	char *error;
	struct strbuf refused;       /* what the sandbox refused meanwhile, one sentence in
				      * each line */
	uint64_t live_dropped;
	/* progress of sending it */
	size_t part, part_at;        /* 0: the text; n: medium n */
	bool sent;
};

/** An open request of a tool. */
struct question {
	struct question *next;
	uint64_t number;             /* number for the host */
	uint64_t call;
	uint64_t aux;                /* number for the worker */
	char *line;                  /* the request as sent */
};

struct supervisor {
	struct spec spec;
	bool greeted;
	int in_fd, out_fd;           /* -1: cut */
	int listen_fd;               /* -1: none */
	int signal_fd;
	struct jsonl in;
	struct strbuf out;           /* lines not yet written */
	int64_t window;              /* bulk bytes that may still be sent */
	bool attached;               /* by the socket: the host is not our parent */
	int64_t cut_until;           /* without a host: time to give up */
	struct worker_proc *children;
	struct call *calls;
	struct question *questions;
	uint64_t calls_made, questions_asked;
	unsigned children_made;
	size_t call_count, held;     /* bytes in results */
	char *private_dir;
	char *temporary;             /* /tmp of the sandbox, in private_dir; NULL: none */
	struct sandbox sandbox;
	struct file_guard guard;     /* of the protected files, without namespaces */
	int reports_fd;              /* of the proxy of the sandbox; -1: none */
	int proxy_listener;          /* its socket; -1: none */
	unsigned proxy_starts;
	struct jsonl reports;
	struct limit_watch watch;
	int64_t started;
	bool ending;
};

/** Serve until the host disconnects; then kill all descendants.
 *  @return the exit code. */
int supervisor_run(char *private_dir, struct limit_group *group);

/* worker-sandbox.c */
/** Create the sandbox of the spec. @return MT_OK; MT_EUNSUPPORTED if it is required and
 *  not completely enforced */
int supervisor_make_sandbox(struct supervisor *s, struct error *err);
/** In a new worker: enter the sandbox if its instance is in it; otherwise go to the
 *  workspace. */
int worker_enter_sandbox(struct supervisor *s, const struct instance_spec *i,
			 struct error *err);
/** Read what the proxy has refused, for the calls that are open. */
void supervisor_read_reports(struct supervisor *s);
/** Revert changes of protected files, and report them to the calls that are open. */
void supervisor_check_files(struct supervisor *s);
/** Append the state of the sandbox, `"sandbox":{...}`. */
void supervisor_put_sandbox(const struct supervisor *s, struct strbuf *out);

/* host-io.c: lines from and to the host */
int host_line(char *line, size_t len, void *arg);
void host_error(struct supervisor *s, const char *id, int status, const char *text);
void host_log(struct supervisor *s, int level, const char *who, const char *text,
	      size_t len);
/** Write as much as the host accepts. @return false if it accepts no more. */
bool host_write(struct supervisor *s);

/* call-table.c */
struct call *call_by_number(struct supervisor *s, uint64_t number);
struct call *call_by_id(struct supervisor *s, const char *id);
void call_start(struct supervisor *s, struct message *m);
void call_cancel(struct supervisor *s, struct call *c);
/** End the call, for the reason stored in it. */
void call_end(struct supervisor *s, struct call *c);
void call_fail(struct supervisor *s, struct call *c, int status, const char *fmt, ...)
	MT_PRINTF(4, 5);
void call_drop(struct supervisor *s, struct call *c);
/** Cancel and kill calls after their time limit. @return ms until the next; -1. */
int64_t calls_check(struct supervisor *s);

/* limit-watch.c */
/** In a new worker: let another process create the group and move the worker into it,
 *  because joining waits for the kernel for milliseconds.
 *  @return a descriptor for limit_wait_joined, or -1: nothing to wait for */
int limit_join_group(const struct supervisor *s, unsigned worker);
/** Wait until the worker is in the group, and close the descriptor: what runs before that
 *  would not count. Gives up after 3 s, so that a kernel that is slow holds nothing up. */
void limit_wait_joined(int joining);
/** Remove the group, if it is empty. */
void limit_remove_group(const struct limit_group *group);
/** Choose the name of the group, after the hello. */
void limit_open(struct supervisor *s);
/** Watch the calls, when it is time. @return ms until the next time; -1. */
int64_t limit_check(struct supervisor *s);
/** The call exceeded a limit: cancel it, and end it with this sentence. */
void limit_end_call(struct supervisor *s, struct call *c, const char *limit,
		    const char *fmt, ...) MT_PRINTF(4, 5);
/** A call ends: add what the kernel did to its processes. */
void limit_report(struct supervisor *s, struct call *c);
/** Allow processes again once those that exceeded the limit are gone. */
void limit_allow_forks(struct supervisor *s);
void limit_release(struct supervisor *s);

/* results.c */
/** Write lines of results for as long as window and queue allow. */
void results_pump(struct supervisor *s);
/** Resend everything that was not acknowledged, from its start. */
void results_again(struct supervisor *s);

/* workers.c */
/** The worker of an instance, forked on demand; NULL if it cannot be started. */
struct worker_proc *worker_proc_for(struct supervisor *s, int instance);
struct worker_proc *worker_proc_by_number(struct supervisor *s, unsigned number);
/** Kill workers whose connection has ended. @return ms until the next check; -1. */
int64_t workers_check(struct supervisor *s);
/** Queue a frame; it is sent when the worker can receive it. */
int worker_proc_send(struct worker_proc *w, const struct frame *f);
void worker_proc_write(struct worker_proc *w);
void worker_proc_kill(struct worker_proc *w);
void worker_proc_close(struct worker_proc *w);
/** Read frames and output of a worker. */
void worker_proc_read(struct supervisor *s, struct worker_proc *w);
void worker_proc_read_log(struct supervisor *s, struct worker_proc *w);
/** Reap; end the calls of workers that died. */
void workers_reap(struct supervisor *s);
void workers_retire(struct supervisor *s);

/* frame-handlers.c */
/** @return false if a worker may not send this frame. */
bool supervisor_take_frame(struct supervisor *s, struct worker_proc *w,
			   const struct frame *f);

#endif
