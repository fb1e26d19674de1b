/* SPDX-License-Identifier: MIT
 *
 * exit-code.h - the exit codes of the programs. */
#ifndef LIB_EXIT_CODE_H
#define LIB_EXIT_CODE_H

/** Exit codes, by reason (doc/exit-codes.md and --help). */
enum exit_code {
	EXIT_DONE = 0,        /* the task is done, or the command succeeded */
	EXIT_FAILED = 1,      /* the operation failed: see the message */
	EXIT_USAGE = 2,       /* invalid arguments or configuration */
	EXIT_MODEL = 3,       /* the request to the model failed */
	EXIT_LIMIT = 4,       /* a limit was reached: iterations, budget, time */
	EXIT_REJECTED = 5,    /* the agent gave up, or a policy refused */
	EXIT_TOOL = 6,        /* the runner or a plugin failed */
	EXIT_STUCK = 7,       /* the agent was stuck in a loop */
	EXIT_WAITING = 8,     /* waiting for the user, in a non-interactive run */
	EXIT_HANGUP = 129,
	EXIT_INTERRUPTED = 130, /* Ctrl-C, or the conversation was paused or stopped */
	EXIT_TERMINATED = 143,
};

/** The exit code of a program that a signal ended, as a shell reports it. */
static inline int exit_code_of_signal(int number)
{
	return 128 + number;
}

#endif
