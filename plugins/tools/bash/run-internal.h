/* SPDX-License-Identifier: MIT
 *
 * run-internal.h - the state of a shell tool, shared by its calls (run.c) and their
 * results (run-result.c). */
#ifndef BASH_RUN_INTERNAL_H
#define BASH_RUN_INTERNAL_H

#include "run.h"
#include "answers.h"
#include "output.h"
#include "pipeline.h"
#include "result-notes.h"
#include "screen.h"
#include "told.h"
#include "waiting.h"
#include <sys/types.h>

enum { RUN_TEXT_MAX = 4 * (OUTPUT_HEAD + OUTPUT_TAIL) + 8 * SCREEN_LINE };

struct run {
	struct run_config config;
	struct session *session;
	struct screen *screen;
	struct answers answers; /* to queries in the output */
	bool busy;          /* a command was reported as still running */
	int interrupts;     /* consecutive C-c that did not stop it */
	bool started;       /* there has been a shell before */
	bool is_new;        /* a new shell was not reported yet */
	char *directory;    /* of the last shell, for the next one */
	struct told told;   /* what the model knows */
	struct pipeline pipeline; /* of the command */
	int64_t began;      /* when the command was started, ms; later by the time that it
	                     * waited for input between two calls */
	int64_t asked;      /* since when it waits for input, ms; 0: it does not wait */
	struct waiting asleep; /* how it waited when it was last sent input */
	char *username, *hostname;
	long uid;           /* the user that `username` belongs to */
	struct session *next; /* for further commands, if this one becomes a job */
	int log;            /* file for the terminal text; -1: none */
	off_t logged;       /* bytes written to it */
	bool drains;        /* a thread reads the terminal outside any call */
	int seen;           /* SESSION_DONE or _DEAD seen by the thread; 0: neither */
};

/** Length of the blank lines at the start; the first line's indent is not included. */
size_t run_blank_start(const char *text, size_t len);
/** Take the output since the last call; with `echo`, without the echo of the input. */
int run_take_content(struct run *r, bool end, const struct run_call *call, bool echo,
		     struct run_result *ret);
/** Report once that a new shell has replaced an earlier one. */
void run_say_new_shell(struct run *r, struct run_result *ret);
/** Report that the command (or, `shell_died`, the shell itself) has ended. */
int run_finish(struct run *r, const struct run_call *call, bool echo, bool is_continued,
	       bool shell_died, struct run_result *ret);
/** Report that the command has not ended. */
int run_report_unfinished(struct run *r, const struct run_call *call, bool echo,
			  struct note *note, struct run_result *ret);

#endif
