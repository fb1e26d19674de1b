/* SPDX-License-Identifier: MIT
 *
 * jobs.h - background jobs of the shell, each with a number and an output file: jobs
 * started by the shell, and commands that exceeded their time limit. */
#ifndef BASH_JOBS_H
#define BASH_JOBS_H

#include "run.h"

enum { JOBS_MAX = 64, JOBS_AT_ONCE = 16 };

struct jobs;

/** `directory`: existing directory for the files of jobs. */
struct jobs *jobs_new(const char *directory);
struct jobs *jobs_free(struct jobs *j);

/** Have the shell start `call->command`. All of these append what the model reads.
 *  @return MT_OK, or a status with a sentence in `err`. */
int jobs_start(struct jobs *j, struct run *run, const struct run_call *call,
	       struct strbuf *out, long *ret_pid, struct error *err);
/** Let the command of `call` become a job if it exceeds its time limit: set `job` and
 *  `job_log`. The path is valid until the next function is called. */
void jobs_offer(struct jobs *j, struct run_call *call);
/** The command has become a job; `seen` is its output until now. Takes `run` on
 *  success. */
int jobs_adopt(struct jobs *j, struct run *run, const struct run_call *call,
	       const struct strbuf *seen);
/** The run of the newest such job whose end was not reported, for an empty call or input,
 *  with `job` and `job_log` of that call; NULL: none. */
struct run *jobs_take(struct jobs *j, struct run_call *call);
/** Return the run after that call. */
void jobs_put_back(struct jobs *j, const struct run_call *call,
		   const struct run_result *result);
int jobs_list(struct jobs *j, struct strbuf *out);
/** Read the output of the job since the last read. */
int jobs_read(struct jobs *j, int64_t id, struct strbuf *out, struct error *err);
/** Wait for its end, at most `most_ms`; then read its output. */
int jobs_wait(struct jobs *j, int64_t id, int64_t most_ms, int cancel_fd,
	      struct strbuf *out, struct error *err);
/** Was a job (-1: any job) running when it was last read, waited for or listed? */
bool jobs_running(struct jobs *j, int64_t id);
/** Append a line for each job that has ended since the last call of this function and
 *  whose end no other function reported. */
int jobs_put_ended(struct jobs *j, struct strbuf *out);
/** Kill it and its child processes; then read its output. */
int jobs_end(struct jobs *j, int64_t id, int cancel_fd, struct strbuf *out,
	     struct error *err);

#endif
