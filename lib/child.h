/* SPDX-License-Identifier: MIT
 *
 * child.h - terminates a child process and its process group. */
#ifndef LIB_CHILD_H
#define LIB_CHILD_H

#include <sys/types.h>

/** Terminate a child that leads its process group and whose input is closed. After 500 ms
 *  it receives SIGTERM, and 100 ms later SIGKILL. Then the rest of the group is killed.
 *  `pid_fd` is its pidfd; -1: the process is polled every few milliseconds instead. A `pid`
 *  of 0 has no effect.
 *  @return its wait status */
int child_end(pid_t pid, int pid_fd);

#endif
