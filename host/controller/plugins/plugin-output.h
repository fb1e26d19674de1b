/* SPDX-License-Identifier: MIT
 *
 * plugin-output.h - the output of a plugin in a forked copy: with log_level = debug, one
 * log line per call, with secrets masked; otherwise it is dropped. */
#ifndef HOST_CONTROLLER_PLUGIN_OUTPUT_H
#define HOST_CONTROLLER_PLUGIN_OUTPUT_H

#include "strbuf.h"

struct plugin_output {
	int fd;             /* nonblocking; -1: nothing more is expected */
	struct strbuf text; /* its beginning */
};

/** Expect output. @return the descriptor to print to, which the caller closes; -1: the
 *  output is not logged, or a pipe for it cannot be made. */
int plugin_output_open(struct plugin_output *ret);
/** Read the output that is available. Never blocks. */
void plugin_output_take(struct plugin_output *o);
/** Log the output of `name` in `function`. */
void plugin_output_log(struct plugin_output *o, const char *name, const char *function);
void plugin_output_close(struct plugin_output *o);

#endif
