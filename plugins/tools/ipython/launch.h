/* SPDX-License-Identifier: MIT
 *
 * launch.h - the process of a kernel: connection file, environment, start and exit. */
#ifndef IPYTHON_LAUNCH_H
#define IPYTHON_LAUNCH_H

#include "kernelspec.h"
#include "strbuf.h"
#include "wire.h"
#include <stdbool.h>
#include <sys/types.h>

enum channel { /* of the protocol; heartbeats are not needed for a child process */
	CHANNEL_SHELL,
	CHANNEL_IOPUB,
	CHANNEL_STDIN,
	CHANNEL_CONTROL,
	CHANNEL_COUNT,
};

enum { LAUNCH_SAID_MAX = 2048 }; /* bytes kept of its last standard error output */

struct launch {
	pid_t pid;             /* 0: not started, or reaped */
	int pidfd;             /* readable once it has exited */
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
	const char *directory;   /* working directory */
	bool tcp;                /* 127.0.0.1 instead of sockets in the directory */
};

/** Start the kernel without waiting until it is ready. */
int launch_start(const struct launch_config *config, struct launch *ret,
		 struct error *err);
/** Check whether it has exited. */
bool launch_has_ended(struct launch *l);
/** Read the kernel's standard error output. */
void launch_listen(struct launch *l);
/** Send a signal to it and its child processes. */
void launch_signal(struct launch *l, int number);
/** Kill it and all of its group, and remove its directory. */
void launch_clear(struct launch *l);
/** Append how it exited, "exit code 1" or "signal 9", and its last output. */
void launch_describe(const struct launch *l, struct strbuf *out);

#endif
