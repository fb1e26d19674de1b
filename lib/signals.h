/* SPDX-License-Identifier: MIT
 *
 * signals.h - signals: what this process inherited, and what its children get. */
#ifndef LIB_SIGNALS_H
#define LIB_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** True for a SIGHUP under nohup(1): it must not be caught. */
static inline bool signal_is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/** Hold the signals that end a program until signals_release. */
static inline void signals_hold(sigset_t *ret_before)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, ret_before);
}

static inline void signals_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/** In a child, before it becomes another program: no signal is blocked, ignored or handled.
 *  Can be called between fork and exec. */
static inline void signals_reset(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

#endif
