/* SPDX-License-Identifier: MIT
 *
 * start-runner.h - a runner in another place, between the program that starts it and the
 * host. */
#ifndef CLI_START_RUNNER_H
#define CLI_START_RUNNER_H

#include "bundle/bundle.h"
#include "js.h"

#include <stdbool.h>
#include <sys/types.h>

enum { START_ARGS_MAX = 512, START_TAIL_MAX = 4096 };

struct start {
	const char *workspace, *there; /* as the host and as the runner sees it */
	char **argv;                   /* the program, as the runtime gave it */
	int argc;
	char what[1024];               /* for messages: the host or image */
	json_object *hello;
	json_object *params;           /* of it */
	struct bundle bundle;
	pid_t pid;                     /* of the program */
	int in, out, errors;           /* its standard files */
	int code;                      /* how it ended: an exit code, or 128 and a signal */
	bool greeted;
	char tail[START_TAIL_MAX];     /* the last that it printed as errors */
	size_t tail_len;
};

/** A place where runners run. */
struct start_place {
	const char *name;
	/** Adapt the hello, and add the rest of the arguments.
	 *  @return MT_OK or a status with `err` */
	int (*prepare)(struct start *s, struct error *err);
	/** Run other programs before it, and change it; may be NULL. The last one that
	 *  was run explains a status without `err`. */
	int (*arrange)(struct start *s, struct error *err);
	/** What to do when the program has started and before it gets the hello; may be
	 *  NULL. */
	int (*greet)(struct start *s, struct error *err);
	/** Describe why the program ended without a runner. `last`: its last line of
	 *  errors, or "". */
	void (*explain)(const struct start *s, const char *last, struct error *err);
};

extern const struct start_place start_docker, start_ssh;

/** Append an argument to the program. */
int start_add(struct start *s, const char *text, struct error *err);
/** Run a program, NULL-terminated, while showing the host that it is alive. Returns its
 *  output in `ret`, as far as there is room.
 *  @return MT_OK if its exit code is 0, MT_EIO without `err` if it is not */
int start_run(struct start *s, const char *const *argv, char *ret, size_t room,
	      struct error *err);
/** Change the plugins of the hello to those of the bundle, which is at `path` there. */
int start_move_plugins(struct start *s, const char *path, struct error *err);
/** Read the next line of the program, while showing the host that it is alive. NULL: it
 *  has closed its output, or the host has ended. */
const char *start_read_line(struct start *s, char *line, size_t room);
/** True if the program has printed this as an error. */
bool start_printed(const struct start *s, const char *text);

#endif
