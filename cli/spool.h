/* SPDX-License-Identifier: MIT
 *
 * spool.h - the temporary directory or file of a command. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "error.h"

#include <stddef.h>

/** Create a private directory, one at a time; its path is stored in `path`. Until it is
 *  closed, SIGINT, SIGTERM and SIGHUP remove it and end the program, unless other handlers
 *  are set later. */
int command_spool_open(const char *name, char *path, size_t room, struct error *err);
/** The same for a file, TARGET.XXXXXX, to be renamed to its target. @return its
 *  descriptor, or -1 with errno. */
int command_spool_file(const char *target, char *path, size_t room);
/** Remove the directory or the file, if there is one. */
void command_spool_close(void);
/** The same, before the program exits immediately. Async-signal-safe. */
void command_spool_discard(void);

#endif
