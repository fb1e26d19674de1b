/* SPDX-License-Identifier: MIT
 *
 * worker.h - internal state of a worker process: one plugin file, its instances, the
 * running calls.
 *
 * Threads: the first one reads frames (calls, cancels, input, answers); each instance has
 * one on which it is opened, listed and called; calls of a parallel set have one each.
 * Each thread sends its own frames while holding `out`. */
#ifndef RUNNER_WORKER_H
#define RUNNER_WORKER_H

#include "frame.h"
#include "loader.h"
#include "spec.h"
#include <pthread.h>
#include <stdatomic.h>

/** A tool from `list`; everything in it is a copy. */
struct listed {
	char *name;
	uint32_t hints;
	tool_function *call, *preview;
	struct function_copy *function;
	int64_t result_max;
	json_object *defaults;       /* of its parameters */
};

struct mt_instance {
	const struct instance_spec *spec;
	int number;
	const struct mt_component *component;
	const struct mt_toolset *set;
	void *self;
	bool open;
	char last_log[512];          /* why open failed */
	struct listed *listed;
	size_t listed_count;
	atomic_bool list_stale;
	char *private_dir, *conversation_dir, *user_dir; /* created on request */
	char *saved;                 /* last result of instance_saved */
	pthread_t thread;
	bool running;                /* the thread was started */
	struct mt_call *queue, **queue_end; /* under worker.lock */
	unsigned busy;               /* calls with their own thread */
	pthread_cond_t wake;
	bool closing;
};

/** One piece of text that lives as long as its call. */
struct kept {
	struct kept *next;
	size_t len;
	char text[];                 /* with a NUL after it */
};

/** A request whose answer the tool has not received. */
struct asked {
	struct asked *next;
	uint64_t number;
	bool waits;                  /* mt_tool_host.request waits for it */
	struct kept *pieces, **pieces_end; /* of the answer, until it is complete */
	bool answered;
	int status;
	struct kept *answer;         /* NULL: memory ran out */
};

struct mt_call {
	struct mt_call *next;        /* in its instance's queue */
	struct mt_call *all;         /* among all calls of the worker */
	struct mt_instance *instance;
	uint64_t id;
	bool listing;                /* not a call: a request for the tools */
	bool preview;                /* not a call: a preview */
	char *tool, *spool_name, *host_id;
	json_object *args;
	int64_t deadline;

	pthread_mutex_t lock;        /* protects the following members */
	pthread_cond_t wake;
	unsigned users;              /* other threads that use the call */
	bool running;                /* input and cancel are possible */
	atomic_bool cancelled;
	int cancel_fd;               /* an eventfd, made on demand; -1 */
	struct strbuf text;
	struct strbuf error;
	int failed;                  /* status given to fail(); MT_OK */
	json_object *fields;
	size_t fields_len, media_len;
	bool text_cut;
	bool lost;                   /* memory ran out for a part of the answer */

	int spool_fd;                /* -1: not open */
	int64_t spool_len;
	int64_t output_len; /* given to the spool, kept or not */
	bool spool_full;
	bool spool_own;              /* the tool spools its output itself */
	bool spool_kept;             /* the worker spools the text, because it is long */

	struct strbuf live;          /* output that was not sent yet */
	uint64_t live_dropped;
	int64_t live_sent;           /* when */
	bool live_waits;             /* the first thread has to send it */

	struct asked *asked;         /* the first one first */
	unsigned asked_count;
	size_t pieces_len;           /* of all of them */
	struct kept *kept;
};

/* Exit codes: lost the connection to the supervisor; cannot enter its sandbox or the
 * workspace. */
enum { WORKER_LOST = 121, WORKER_OUTSIDE = 122 };

struct worker {
	pid_t pid;
	int fd;                      /* to the supervisor */
	int wake_fd;                 /* wakes the first thread */
	const struct spec *spec;
	const char *plugin_path;
	pthread_mutex_t out;         /* held while sending */
	pthread_mutex_t lock;        /* calls, queues */
	struct mt_call *calls;
	struct mt_instance *instances; /* one for each of the spec; those of other
	                                plugins stay empty */
	pthread_mutex_t load;
	const struct mt_plugin *plugin; /* once loaded */
	bool retire;                 /* this worker must be replaced */
};

extern struct worker worker;
extern const struct mt_tool_host tool_host;

/** Run a worker; `fd` is its end of the pair. Does not return. */
_Noreturn void worker_run(const struct spec *spec, const char *plugin, int fd);

/* instance-thread.c: the thread of an instance */
void *instance_thread(void *arg);
struct mt_call *instance_call_new(struct mt_instance *instance, const struct frame *f);

/* host-request.c: requests of tools */
/** Handle an answer or a piece of one. */
void host_request_answer(struct mt_call *c, const struct frame *f);
void host_requests_free(struct mt_call *c);

/* output-stream.c: live output */
/** Send buffered output that is due. @return ms until the next is due; -1. */
int output_stream_flush(void);
void output_stream_add(struct mt_call *c, const char *bytes, size_t len);
void output_stream_end(struct mt_call *c);

int worker_send(const struct frame *f, int flags);
/** The status that a function of the plugin returned; MT_EINVAL if it is not a value of
 *  enum mt_status. */
int worker_plugin_status(int status);

/* tool-list.c */
/** The tools of an open instance as a JSON array; fills instance->listed. */
int tool_list_make(struct mt_instance *instance, struct strbuf *ret_json,
		   struct error *err);
int tool_list_add(struct mt_listing *listing, const struct mt_tool *tool);

#endif
