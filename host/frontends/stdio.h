/* SPDX-License-Identifier: MIT
 *
 * stdio.h - a session on standard input and output: `--json`. */
#ifndef HOST_FRONTENDS_STDIO_H
#define HOST_FRONTENDS_STDIO_H

#include "frontends/transport.h"

/** Open the session. Commands are read only if `commands` is set and standard input is a
 *  pipe, a socket or a file. Pipes are reopened, so that they do not become non-blocking
 *  for other processes that share them. */
int stdio_open(uv_loop_t *loop, struct conversation *c, bool commands,
	       const struct transport_options *o, struct transport **ret,
	       struct error *err);
/** True if commands are read from standard input. */
bool stdio_listens(bool commands);
/** Call this after the transport is closed: restores the mode of shared sockets. */
void stdio_restore(void);

#endif
