/* SPDX-License-Identifier: MIT
 *
 * stdio.h - a session on standard input and output: `--json`. */
#ifndef HOST_FRONTENDS_STDIO_H
#define HOST_FRONTENDS_STDIO_H

#include "frontends/transport.h"

/** Open a session there. Commands are read only if `commands` and standard input is a
 *  pipe, a socket or a file. `in` and `out` of a pipe are reopened, so that other
 *  processes that share them never see them non-blocking. */
int stdio_open(uv_loop_t *loop, struct conversation *c, bool commands,
	       const struct transport_options *o, struct transport **ret,
	       struct error *err);
/** Are commands read there? */
bool stdio_listens(bool commands);
/** After the channel is closed: leave shared sockets as they were found. */
void stdio_restore(void);

#endif
