/* SPDX-License-Identifier: MIT
 *
 * result.h - the result of one call of the shell tool. */
#ifndef BASH_RESULT_H
#define BASH_RESULT_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum run_style {
	RUN_STYLE_V0,    /* the texts of OpenHands; a waiting program is not recognized */
	RUN_STYLE_BRIEF,
};

/** The result of a call. Texts are valid UTF-8. */
struct run_result {
	struct strbuf content; /* at most OUTPUT_CHARS and a marker, or RUN_CHARS */
	struct strbuf prefix, suffix;
	bool cut;              /* the content is truncated */
	bool cancelled;
	bool refused;          /* nothing was run, typed or read */
	bool moved;            /* it continues as a job, see run_split */
	bool ended;            /* a command ended: the members below are set */
	int exit_code;         /* -1: unknown, or still running */
	long pid;              /* last background process; -1: none */
	char *username, *hostname, *directory, *python; /* NULL: unknown */
};

void run_result_clear(struct run_result *result);

#endif
