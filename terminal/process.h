/* SPDX-License-Identifier: MIT
 *
 * process.h - the process of a conversation, started by this program but independent
 * of it; and other runs of `mortise`. */
#ifndef TERMINAL_PROCESS_H
#define TERMINAL_PROCESS_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>
#include <sys/types.h>

enum { CHILD_ID_MAX = 96, CHILD_START_MS = 60000 };

struct process {
	pid_t pid;   /* 0: none, or ended */
	int in;      /* while it is open, the idle process does not exit; -1: closed */
	int errors;  /* its standard error; -1 */
	char id[CHILD_ID_MAX]; /* of the conversation */
};

#define CHILD_NONE ((struct process){ .in = -1, .errors = -1 })

/** Run `mortise` with these arguments (NULL-terminated, without the program name), which
 *  start a conversation that listens, and wait until it does. Its standard error until
 *  then is appended to `warnings`. */
int process_start(struct process *c, const char *const *args, struct strbuf *warnings,
		  struct error *err);
/** Leave the process running: it exits when the agent is idle and no client is
 *  connected. */
void process_release(struct process *c);
/** Reap the process, and those that were released, if they have ended. */
void process_reap(struct process *c);
/** Run `mortise` with these arguments until it exits, and return its output; its
 *  standard error becomes the error. */
int process_output(const char *const *args, struct strbuf *out, struct error *err);

#endif
