/* SPDX-License-Identifier: MIT
 *
 * socket-dir.h - the directory of the sockets, $XDG_RUNTIME_DIR/mortise: creates it,
 * finds sockets, and removes those of dead processes. */
#ifndef HOST_FRONTENDS_SOCKET_DIR_H
#define HOST_FRONTENDS_SOCKET_DIR_H

#include "error.h"
#include <stdbool.h>
#include <sys/types.h>

/** A socket file created by this process. */
struct socket_file {
	int dir; /* its directory; -1: already removed */
	char name[96];
	dev_t dev;
	ino_t ino;
};

/** Listen for the conversation `id`. The file of a dead process is replaced; that of a
 *  running process causes MT_EEXIST. */
int socket_dir_listen(const char *id, int backlog, struct socket_file *ret, int *ret_fd,
		      struct error *err);
/** Remove the file if this process still owns it. May be called again. */
void socket_dir_remove(struct socket_file *p);

/** Connect to a conversation. `ret_pid` (may be NULL) gets its process.
 *  @return MT_ENOTFOUND if no process listens; a stale file is removed. */
int socket_dir_connect(const char *id, int *ret_fd, pid_t *ret_pid, struct error *err);
/** The ids with a socket file, sorted, including those of dead processes; freed by
 *  socket_dir_free_list. */
int socket_dir_list(char ***ret, size_t *ret_count, struct error *err);
void socket_dir_free_list(char **ids, size_t count);

/** True if `pid` is `ancestor` or one of its descendants, or has exited. */
bool socket_dir_descends(pid_t pid, pid_t ancestor);

#endif
