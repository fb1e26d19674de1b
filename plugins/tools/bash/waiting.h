/* SPDX-License-Identifier: MIT
 *
 * waiting.h - detects whether the foreground program waits for terminal input. */
#ifndef BASH_WAITING_H
#define BASH_WAITING_H

#include <stdint.h>
#include <sys/types.h>

enum waiting_kind {
	WAITING_NO,
	WAITING_MAYBE, /* waits for several things and reads keys: an event loop */
	WAITING_INPUT, /* waits for the terminal alone */
};

struct waiting {
	enum waiting_kind kind;
	pid_t thread;      /* the waiting thread */
	uint64_t switches; /* number of context switches: changes when it runs */
};

/** Check the processes of the foreground group of the terminal `master` that descend from
 *  `shell`. WAITING_NO also if the system does not provide the information. */
struct waiting waiting_look(pid_t shell, int master);

#endif
