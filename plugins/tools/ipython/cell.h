/* SPDX-License-Identifier: MIT
 *
 * cell.h - one cell: sent to a kernel, tracked until the kernel has answered and is
 * idle, interrupted when it times out or is cancelled. */
#ifndef IPYTHON_CELL_H
#define IPYTHON_CELL_H

#include "cell-events.h"
#include "kernel.h"
#include <stdbool.h>
#include <stdint.h>

struct cell {
	const char *code;
	size_t len;
	bool silent;           /* internal cell: no history, no output */
	int64_t timeout_ms;    /* before it is interrupted */
	int64_t grace_ms;      /* to react to an interrupt, twice; then the kernel is killed */
	int64_t input_ms;      /* to wait for an answer to input() */
	int cancel_fd;         /* -1: none */
	int wake_fd;           /* readable: there may be an answer; -1: none */
	const struct cell_events *events; /* NULL: not reported */
	void *arg;
};

struct cell_result {
	bool timed_out, cancelled;
	bool unanswered;  /* input() was refused: the cell was interrupted */
	bool failed;      /* the code raised an error */
	bool aborted;     /* the kernel did not run it */
	bool dead;        /* the kernel has exited */
	bool killed;      /* killed, because it ignored interrupts */
	bool leaving;     /* the code asked the kernel to exit */
	bool incomplete;  /* the end of its output is missing */
	unsigned strange; /* invalid messages */
	char error[256];  /* of a silent cell that failed: name and value */
};

/** Run a cell. @return MT_OK if it was sent, with the result in `ret`. */
int cell_run(struct kernel *k, const struct cell *cell, struct cell_result *ret,
	     struct error *err);
/** Wait until a new kernel responds and its output is received.
 *  @return MT_EIO if it exited, MT_ETIMEOUT, MT_ECANCELLED, MT_EDENIED. */
int cell_await_kernel(struct kernel *k, int64_t timeout_ms, int cancel_fd,
		      struct error *err);

#endif
