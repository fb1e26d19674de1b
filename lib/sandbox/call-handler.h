/* SPDX-License-Identifier: MIT
 *
 * call-handler.h - a process next to a program in a sandbox without namespaces. It answers
 * the system calls that the filter of the program holds: those that change metadata of
 * files, and connect(). */
#ifndef LIB_SANDBOX_CALL_HANDLER_H
#define LIB_SANDBOX_CALL_HANDLER_H

#include "sandbox/rules.h"

#include <sys/types.h>

/** True if the kernel can hold calls for this process. It tries that, and leaves a filter
 *  that allows everything in place: for a process that will exit. */
bool call_handler_works(void);
/** The line from the program to its handler. */
struct call_handler_line {
	int fd;
	pid_t keeper; /* see call-handler.c */
};

/** Fork. The parent becomes the handler, and never returns: it exits as the child does.
 *  The child is the program, and dies with it. `landlock` is the version of the rules,
 *  which this process has entered; the program enters them again. @return 0; -1 */
int call_handler_fork(const struct sandbox_rules *r, const char *temporary, int landlock,
		      struct call_handler_line *ret);
/** Give the listener of the filter of this process to the handler, and close it and the
 *  line. @return 0; -1 */
int call_handler_attach(const struct call_handler_line *line, int listener);

#endif
