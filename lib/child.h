/* SPDX-License-Identifier: MIT
 *
 * child.h - ends a child process and its process group. */
#ifndef LIB_CHILD_H
#define LIB_CHILD_H

#include <sys/types.h>

/** Ends a child that leads its process group and whose input is closed: waits 500 ms for
 *  it, sends SIGTERM, and 100 ms later SIGKILL. Then kills the rest of the group. `pid_fd` is its pidfd; -1: looks
 *  at the process every few milliseconds instead. A `pid` of 0 has no effect.
 *  @return its wait status */
int child_end(pid_t pid, int pid_fd);

#endif
