/* SPDX-License-Identifier: MIT
 *
 * moved.h - a command that continues in the background, in the shell that started it. A
 * thread reads its terminal and records its end, except during a call for it. */
#ifndef BASH_MOVED_H
#define BASH_MOVED_H

#include "run.h"

struct moved;

/** Take `run`, whose output is appended to the file `log`. `files` is the path of these
 *  files without suffix. When the command ends, the exit code is written to the file
 *  `exit`. Unless a call reports the end, a line that begins with `notice` is written to
 *  the file `notice` first. Texts are copied.
 *  @return NULL on failure; `run` is not taken. */
struct moved *moved_new(struct run *run, const char *files, const char *notice);
/** Kill the command. */
struct moved *moved_free(struct moved *m);
/** The run for a call; the thread does not use it until moved_continue. */
struct run *moved_take(struct moved *m);
/** Continue after a call; `ended`: the call has reported the end of the command. */
void moved_continue(struct moved *m, bool ended, int code);
/** Interrupt the command, then kill it. */
void moved_stop(struct moved *m);
/** Has its end been recorded, or did recording fail? */
bool moved_has_ended(struct moved *m);

#endif
