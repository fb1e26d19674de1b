/* SPDX-License-Identifier: MIT
 *
 * signals.h - what this process inherited about signals. */
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

#endif
