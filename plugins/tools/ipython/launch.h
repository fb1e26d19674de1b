/* SPDX-License-Identifier: MIT
 *
 * launch.h - the process of a kernel: its connection file, its environment, its
 * start and its end. */
#ifndef IPYTHON_LAUNCH_H
#define IPYTHON_LAUNCH_H

#include "kernelspec.h"
#include "strbuf.h"
#include "wire.h"
#include <stdbool.h>
#include <sys/types.h>

enum channel { /* of the protocol; heartbeats are not needed: the process is ours */
	CHANNEL_SHELL,
	CHANNEL_IOPUB,
	CHANNEL_STDIN,
	CHANNEL_CONTROL,
	CHANNEL_COUNT,
};

enum { LAUNCH_SAID_MAX = 2048 }; /* bytes of its last words that are kept */

struct launch {
	pid_t pid;             /* 0: it has not started, or was waited for */
	int pidfd;             /* readable once it has ended */
	int said_fd;           /* its standard error; -1: closed */
	int status;            /* of wait(2), once pid is 0 */
	bool ended;
	char *directory;          /* private, with the connection file and the sockets */
	char *file;            /* the connection file */
	char key[WIRE_KEY_MAX];
	char *endpoints[CHANNEL_COUNT];
	struct strbuf said;
};

struct launch_config {
	const struct kernelspec *spec;
	const char *private_dir; /* "" if there is none */
	const char *directory;   /* where it starts */
	bool tcp;                /* 127.0.0.1 instead of sockets in the directory */
};

/** Start the kernel. It is not waited for. */
int launch_start(const struct launch_config *config, struct launch *ret,
		 struct error *err);
/** Look whether it has ended. */
bool launch_has_ended(struct launch *l);
/** Take the output of the kernel on standard error. */
void launch_listen(struct launch *l);
/** A signal to it and what it started. */
void launch_signal(struct launch *l, int number);
/** Kill it and all of its group, and remove its directory. */
void launch_clear(struct launch *l);
/** Append how it ended: "exit code 1", "signal 9"; and its last words. */
void launch_describe(const struct launch *l, struct strbuf *out);

#endif
