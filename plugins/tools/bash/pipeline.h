/* SPDX-License-Identifier: MIT
 *
 * pipeline.h - names the part of a pipeline that failed. */
#ifndef BASH_PIPELINE_H
#define BASH_PIPELINE_H

#include "strbuf.h"
#include <stdbool.h>

enum { PIPELINE_PARTS = 16 };

/** The last pipeline of a command. */
struct pipeline {
	char *parts[PIPELINE_PARTS]; /* verbatim, shortened */
	size_t count;                /* 0: no pipeline, or too many parts */
};

/** Read the pipeline. A command that continues after its text has none. */
int pipeline_read(const char *command, size_t len, struct pipeline *ret);
void pipeline_clear(struct pipeline *p);
/** Append a clause for each part before the last one that failed, by their exit codes ("1
 *  0 0 "). A part killed by SIGPIPE did not fail: its reader closed the pipe. */
int pipeline_put_failures(const struct pipeline *p, const char *codes,
			  struct strbuf *out);

#endif
