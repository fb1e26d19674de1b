/* SPDX-License-Identifier: MIT
 *
 * run.h - one call of the shell tool: run a command, send input to the running one, or
 * read more output; texts of the result. */
#ifndef BASH_RUN_H
#define BASH_RUN_H

#include "result.h"
#include <stdint.h>

struct run_config {
	const char *shell;       /* path or name */
	const char *startup;     /* file that a new shell reads first; NULL */
	const char *directory;   /* where the first shell starts */
	int64_t no_change_ms;    /* without new output */
	int64_t timeout_ms;      /* in total, when the call sets no limit */
	enum run_style style;
	bool exit_code_always;   /* brief: also when it is 0 */
	/* Path of a file with all of the output of this call; NULL or "": none. */
	const char *(*full_output)(void *arg);
	/* Brief: path of a file that lives as long as the conversation, for facts that
	 * results have stated; NULL or "": none. */
	const char *(*told_file)(void *arg);
	/* Receive the terminal's bytes, raw and as live text; either may be NULL. */
	void (*raw)(void *arg, const char *bytes, size_t len);
	void (*live)(void *arg, const char *bytes, size_t len);
	void *arg;
};

enum {
	RUN_CHARS = 28000,     /* characters of a result in the brief style */
	RUN_LINE_CHARS = 2000, /* of a line in it */
};

struct run_call {
	const char *command;
	size_t len;
	bool is_input;
	double timeout;       /* seconds; negative: not given */
	int64_t time_left_ms; /* the caller's own limit; -1: none */
	int cancel_fd;        /* -1: none */
	int64_t job;          /* its number if it becomes a job; 0: it cannot */
	const char *job_log;  /* then the path for its output */
};

struct run; /* a shell and the state of the conversation with it */

int run_new(const struct run_config *config, struct run **ret, struct error *err);
struct run *run_free(struct run *r);
/** See session_save and session_load. */
void run_save(struct run *r, const char *path);
void run_load(struct run *r, const char *path);
/** The same without an end of the shell, which is started if necessary. */
int run_copy(struct run *r, int cancel_fd, const char *path, struct error *err);
/** Start the shell in advance, without waiting for it. */
int run_warm(struct run *r, struct error *err);
/** Execute a call. @return MT_OK, or the reason why it was not tried. */
int run_call(struct run *r, const struct run_call *call, struct run_result *ret,
	     struct error *err);
/** Create a run for further commands after a result with `moved` set; its shell has the
 *  state from before the command. `r` still follows its command, with empty calls and
 *  input. */
struct run *run_split(struct run *r);
/** Is a command still running after the call that started it? */
bool run_is_busy(const struct run *r);
/** Append terminal text to the file `fd` from now on; -1: stop. Takes the descriptor. */
void run_log(struct run *r, int fd);
/** Read the terminal until the command ends or `cancel_fd` is readable; no call may run
 *  meanwhile. @return true if it has ended; its exit code is in `ret_code`. [any
 *  thread] */
bool run_drain(struct run *r, int cancel_fd, int *ret_code);
/** Interrupt the command; kill it if it does not end. @return its exit code. */
int run_kill(struct run *r);
/** Type at the terminal while a call runs. [any thread] */
int run_type(struct run *r, const char *bytes, size_t len);

#endif
