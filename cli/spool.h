/* SPDX-License-Identifier: MIT
 *
 * spool.h - the directory in which a command lets tools store long output. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "error.h"

#include <stddef.h>

struct uv_loop_s;

/** Create a private directory, one at a time; its path is stored in `path`. Until it is
 *  closed, SIGINT, SIGTERM and SIGHUP remove it, when the loop runs, and then end the
 *  program. */
int command_spool_open(const char *name, struct uv_loop_s *loop, char *path, size_t room,
		       struct error *err);
void command_spool_close(void);

#endif
