/* SPDX-License-Identifier: MIT
 *
 * rpc.h - a language server as a child process: messages of JSON with a Content-Length
 * over its standard input and output, with limits. */
#ifndef LSP_RPC_H
#define LSP_RPC_H

#include "js.h"
#include <stdbool.h>
#include <sys/types.h>

enum { RPC_MESSAGE_MAX = 32 << 20, RPC_TAIL_MAX = 300 };

struct rpc {
	pid_t pid;
	int pid_fd, in, out, err; /* ours; -1: closed */
	struct strbuf received;   /* not parsed yet */
	char tail[RPC_TAIL_MAX];  /* the last line of its standard error output */
	size_t tail_len;
};

/** How long to wait; `cancel_fd` becomes readable if the call is cancelled. */
struct rpc_wait {
	int64_t until_ms;
	int cancel_fd;
};

/** Start the program in the directory. Call rpc_end only if it succeeds. */
int rpc_start(struct rpc *r, char *const *argv, const char *directory, struct error *err);
/** Send a message. @return MT_ETIMEOUT, MT_ECANCELLED, MT_EIO: the server does not run or
 *  read */
int rpc_write(struct rpc *r, const char *json, size_t len, const struct rpc_wait *w,
	      struct error *err);
/** The next message, owned. @return MT_ETIMEOUT, MT_ECANCELLED; MT_EIO: the server has
 *  exited; MT_EINVAL, MT_ELIMIT: protocol error. After the last three the server is
 *  unusable. */
int lsp_rpc_read(struct rpc *r, const struct rpc_wait *w, json_object **ret,
		 struct error *err);
/** Terminate the server and its child processes. */
void rpc_end(struct rpc *r);

#endif
