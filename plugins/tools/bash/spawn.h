/* SPDX-License-Identifier: MIT
 *
 * spawn.h - starts the shell process: terminal, environment, descriptors. */
#ifndef BASH_SPAWN_H
#define BASH_SPAWN_H

#include "error.h"
#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	const char *shell;     /* path or name */
	const char *startup;   /* or NULL */
	const char *directory;
	int socket, file;      /* become DRIVER_SOCKET and DRIVER_FILE */
	int state;             /* becomes DRIVER_STATE; -1: none */
	bool restores;         /* the state comes from an earlier shell */
	unsigned rows, cols;
};

/** Start it on a new terminal. @return MT_OK; the master's descriptor is
 *  non-blocking and close-on-exec. */
int spawn_shell(const struct spawn *spawn, pid_t *ret_pid, int *ret_master,
		struct error *err);

#endif
