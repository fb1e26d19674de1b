/* SPDX-License-Identifier: MIT
 *
 * carry.h - hands the state of the shell to the shell of the next runner.
 *
 * The host restarts the runner when it changes the sandbox of a conversation. Before that,
 * it creates an empty file `carry` in the directory of the tool. Only then is the state
 * stored, because it may contain secrets. For a runner that works at the same time, it
 * creates the file and calls the tool with CARRY_COMMAND; the shell lives on. */
#ifndef BASH_CARRY_H
#define BASH_CARRY_H

/** Changes nothing in the shell. */
#define CARRY_COMMAND ":"

/** Store the directory and the state of the shell in the file, if it exists, with the
 *  environment of this process. `state` is the file of the state; -1: none. */
void carry_write(const char *path, const char *directory, int state);
/** Read the file and remove it. Writes the state to `state`, with the variables that differ
 *  between the environment of the earlier process and that of this one.
 *  @return the directory, owned; NULL: nothing was stored. */
char *carry_read(const char *path, int state);

#endif
