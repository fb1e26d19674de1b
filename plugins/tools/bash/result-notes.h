/* SPDX-License-Identifier: MIT
 *
 * result-notes.h - text around the output of a command in a result. */
#ifndef BASH_RESULT_NOTES_H
#define BASH_RESULT_NOTES_H

#include "pipeline.h"
#include "result.h"

enum note_state {
	NOTE_COMPLETED,
	NOTE_SHELL_EXITED,
	NOTE_QUIET,     /* no output for a while */
	NOTE_TIMED_OUT,
	NOTE_WAITS,     /* for terminal input */
	NOTE_REFUSED,   /* another command runs, which the note describes */
	NOTE_STATES
};

struct note {
	enum note_state state;
	char key;                /* control key that was typed in this call; or 0 */
	double seconds;          /* the time limit that was reached */
	int64_t runs_ms;         /* since the command began */
	bool is_continued;       /* the command began in an earlier call */
	int64_t job;             /* number of the job that it became; 0: none */
	const char *job_log;     /* path of its output */
	bool was_job;            /* an earlier result has said so */
	const char *command;     /* the refused command */
	size_t len;
	/* How a command completed, for the brief style. */
	bool exit_code_always;
	const char *directory, *python; /* changed values; or NULL */
	const struct pipeline *pipeline;
	const char *codes;       /* exit codes of its parts */
};

/** Fill in prefix and suffix of a result whose other members are set. The texts of V0 are
 *  those of OpenHands. */
void notes_put(enum run_style style, const struct note *n, struct run_result *ret);

#endif
